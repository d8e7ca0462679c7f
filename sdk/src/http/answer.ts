import { KeywardError, type KeywardErrorDetails, KeywardUnavailable } from './errors.ts';

/** An answer that has been read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** What is no JSON is kept as undefined: `failureOf` then says that Keyward did not write it. */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error that an answer tells of; null when it is a success. */
export function failureOf(answer: Answer, now: number): KeywardError | null {
  const succeeded = answer.status >= 200 && answer.status < 300;
  if (succeeded && answer.body !== undefined) return null;
  const details = detailsOf(answer, now);
  return answer.status >= 500 ? new KeywardUnavailable(details) : new KeywardError(details);
}

function detailsOf({ status, headers, body }: Answer, now: number): KeywardErrorDetails {
  const told = (body ?? {}) as Partial<Record<'code' | 'message' | 'requestId' | 'docs', unknown>>;
  const common = { statusCode: status, retryAfterSeconds: retryAfterOf(headers, now), body };
  if (typeof told.code !== 'string') {
    const message = `Not an answer of Keyward (status ${status}). Is the address right?`;
    return { ...common, code: 'unexpected_answer', message, requestId: null };
  }
  const requestId = typeof told.requestId === 'string' ? told.requestId : null;
  const docs = typeof told.docs === 'string' ? told.docs : null;
  const message = String(told.message ?? told.code);
  return { ...common, code: told.code, message, requestId, docs };
}

/**
 * Seconds, or a date as proxies like to send. `retry-after-seconds` is finer, but successes carry it
 * too: only beside `Retry-After` does it ask to wait.
 */
function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get('retry-after');
  if (text === null || text.trim() === '') return null;
  const seconds = Number(headers.get('retry-after-seconds') ?? text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1000);
}
