import { errorText, ResponseError } from './errors.ts';
import type { WebhookAgent } from './guarded-agent.ts';
import { readResponseBody, responseText } from './response-body.ts';
import { parseRetryAfter } from './retry-after.ts';

export interface SendOptions {
  readonly agent: WebhookAgent;
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** For the whole attempt: resolving, connecting, sending, and reading the response. */
  readonly deadlineMs: number;
  readonly now: number;
  /** Secrets to remove from the stored response, in case the receiver echoes them. */
  readonly redact?: readonly string[];
}

export interface AttemptResult {
  readonly outcome: 'delivered' | 'failed' | 'gone';
  readonly statusCode: number | null;
  /** One line for people, without text of the receiver; null when delivered. */
  readonly error: string | null;
  readonly durationMs: number;
  /** The start of the response body, safe to print. */
  readonly responseBody: string;
  readonly retryAfterMs: number | null;
}

/** The part of the response that was received, even when the deadline ends the attempt. */
interface PartialResponse {
  statusCode: number | null;
  retryAfterMs: number | null;
  contentEncoding: string;
  readonly body: Buffer[];
}

/** Makes one attempt. Never throws, follows no redirect, does not retry, and keeps the deadline. */
export async function sendOnce(options: SendOptions): Promise<AttemptResult> {
  const startedAt = performance.now();
  const response: PartialResponse = {
    statusCode: null,
    retryAfterMs: null,
    contentEncoding: '',
    body: [],
  };
  let failure: string | null = null;
  try {
    await withDeadline(options.deadlineMs, (signal) => exchange(options, response, signal));
  } catch (error) {
    failure = errorText(error);
  }
  const isDelivered = failure === null && isSuccess(response.statusCode);
  return {
    outcome: response.statusCode === 410 ? 'gone' : isDelivered ? 'delivered' : 'failed',
    statusCode: response.statusCode,
    error: isDelivered ? null : (statusText(response.statusCode) ?? failure),
    durationMs: Math.round(performance.now() - startedAt),
    responseBody: responseText(
      Buffer.concat(response.body),
      response.contentEncoding,
      options.redact ?? [],
    ),
    retryAfterMs: isDelivered ? null : response.retryAfterMs,
  };
}

async function exchange(
  options: SendOptions,
  received: PartialResponse,
  signal: AbortSignal,
): Promise<void> {
  const { agent, method, body, now } = options;
  const url = new URL(options.url);
  const response = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: { ...options.headers, 'accept-encoding': 'identity' },
    body,
    signal,
    highWaterMark: 16 * 1024,
  });
  received.statusCode = response.statusCode;
  received.retryAfterMs = parseRetryAfter(response.headers['retry-after'], now);
  received.contentEncoding = String(response.headers['content-encoding'] ?? '');
  // Destroying a body that was not read to its end emits an error, which is expected.
  response.body.on('error', () => {});
  try {
    await readResponseBody(response.body, received.body);
  } catch {
    // The status says whether the receiver has the event, even if the body cannot be read.
    signal.throwIfAborted();
  } finally {
    // Closes the connection, unless the body was read to its end.
    response.body.destroy();
  }
}

const isSuccess = (statusCode: number | null): boolean =>
  statusCode !== null && statusCode >= 200 && statusCode < 300;

function statusText(statusCode: number | null): string | null {
  if (statusCode === null || isSuccess(statusCode)) return null;
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return `HTTP ${statusCode}${isRedirect ? '; redirects are not followed' : ''}`;
}

/** The signal alone is not enough: undici ignores it until a connection is established. */
async function withDeadline<T>(
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new ResponseError(`no complete response within ${deadlineMs / 1000} s`);
    controller.abort(error);
    reject(error);
  }, deadlineMs);
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
