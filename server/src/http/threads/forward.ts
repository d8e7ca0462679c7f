import { Agent, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { answerError } from './answer-error.ts';

/** Who called, said to the thread that answers: it sees only the thread that forwards. */
export const CALLER_HEADER = 'x-keyward-thread-caller';

/** Between one hop and the next; each server has its own. */
const OF_A_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'expect']);

/**
 * Hands a request to the thread that can answer all of them, and its answer back, as both come:
 * nothing is kept, so that streams stay streams and slow readers hold nobody else up.
 */
export function createForwarding(parts: {
  socketPath: string;
  nextRequestId: () => string;
  onError: (error: Error) => void;
}): (request: IncomingMessage, response: ServerResponse) => void {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });

  return (request, response) => {
    const inner = ask({
      socketPath: parts.socketPath,
      agent,
      method: request.method,
      path: request.url,
      headers: [...headersOf(request), CALLER_HEADER, request.socket.remoteAddress ?? ''],
      setDefaultHeaders: false,
    });
    let isAnswered = false;
    inner.on('response', (answer) => {
      isAnswered = true;
      // `date` and the rest are those of the thread that answered.
      response.sendDate = false;
      response.writeHead(answer.statusCode!, withoutHop(answer.rawHeaders, 'transfer-encoding'));
      response.flushHeaders();
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    inner.on('error', (error) => {
      // After an answer that came before all of the body was read, nobody reads the rest.
      if (isAnswered || response.closed) return;
      parts.onError(error);
      answerError(response, 'internal_error', parts.nextRequestId());
    });
    // Whoever no longer waits must not keep work going; a request cut short must not look whole.
    response.on('close', () => {
      if (!response.writableFinished) inner.destroy();
    });
    request.on('error', () => inner.destroy());
    request.pipe(inner);
  };
}

/** Without a word on its length Node would send an empty body in chunks. */
function headersOf({ headers, rawHeaders, httpVersion }: IncomingMessage): string[] {
  const kept = withoutHop(rawHeaders, CALLER_HEADER);
  // Only HTTP/1.0 may leave it out, and what goes on is 1.1.
  if (httpVersion === '1.0' && headers.host === undefined) kept.push('host', 'localhost');
  const saysLength =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return saysLength ? kept : [...kept, 'content-length', '0'];
}

function withoutHop(rawHeaders: readonly string[], also: string): string[] {
  const kept: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!OF_A_HOP.has(name) && name !== also) kept.push(rawHeaders[i]!, rawHeaders[i + 1]!);
  }
  return kept;
}
