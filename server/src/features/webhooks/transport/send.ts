import { AnswerError, errorText } from './errors.ts';
import type { WebhookAgent } from './guarded-agent.ts';
import { readAnswerBody, safeText } from './response-body.ts';
import { parseRetryAfter } from './retry-after.ts';

export interface SendOptions {
  readonly agent: WebhookAgent;
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** For everything together: resolving, connecting, sending, and reading the answer. */
  readonly deadlineMs: number;
  readonly now: number;
  /** Texts that must not be kept should the receiver echo them: key values, header values. */
  readonly redact?: readonly string[];
}

export interface AttemptResult {
  readonly outcome: 'delivered' | 'failed' | 'gone';
  readonly statusCode: number | null;
  /** One line for a person, in our words only; null when delivered. */
  readonly error: string | null;
  readonly durationMs: number;
  /** The start of the answer's body, safe to print. */
  readonly responseBody: string;
  readonly retryAfterMs: number | null;
}

/** What is known of the answer so far; it stays known when the deadline cuts the rest off. */
interface Answer {
  statusCode: number | null;
  retryAfterMs: number | null;
  readonly body: Buffer[];
}

const NON_ASCII = /[^\t\x20-\x7e]/;

/** Makes one attempt. Never throws, never follows, never tries twice, never takes longer. */
export async function sendOnce(options: SendOptions): Promise<AttemptResult> {
  const startedAt = performance.now();
  const answer: Answer = { statusCode: null, retryAfterMs: null, body: [] };
  let failure: string | null = null;
  try {
    await withDeadline(options.deadlineMs, (signal) => exchange(options, answer, signal));
  } catch (error) {
    failure = errorText(error);
  }
  const isDelivered = failure === null && isSuccess(answer.statusCode);
  return {
    outcome: answer.statusCode === 410 ? 'gone' : isDelivered ? 'delivered' : 'failed',
    statusCode: answer.statusCode,
    error: isDelivered ? null : (statusText(answer.statusCode) ?? failure),
    durationMs: Math.round(performance.now() - startedAt),
    responseBody: safeText(Buffer.concat(answer.body), options.redact ?? []),
    retryAfterMs: isDelivered ? null : answer.retryAfterMs,
  };
}

async function exchange(options: SendOptions, answer: Answer, signal: AbortSignal): Promise<void> {
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
  answer.statusCode = response.statusCode;
  answer.retryAfterMs = parseRetryAfter(response.headers['retry-after'], now);
  // Destroying the body of an answer we stop reading is reported here, and is no news.
  response.body.on('error', () => {});
  try {
    await readAnswerBody(response.body, response.headers['content-encoding'], answer.body);
  } finally {
    response.body.destroy();
  }
  checkHeaders(response.headers);
}

/** HTTP has no meaning for bytes beyond ASCII here; who sends them may send anything. */
function checkHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): void {
  for (const value of Object.values(headers).flat())
    if (value !== undefined && NON_ASCII.test(value))
      throw new AnswerError('the answer has a header that is not ASCII');
}

const isSuccess = (statusCode: number | null): boolean =>
  statusCode !== null && statusCode >= 200 && statusCode < 300;

function statusText(statusCode: number | null): string | null {
  if (statusCode === null || isSuccess(statusCode)) return null;
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return `answered ${statusCode}${isRedirect ? '; redirects are not followed' : ''}`;
}

/** The signal alone is not enough: undici hears it only once a connection stands. */
async function withDeadline<T>(
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new AnswerError(`no complete answer within ${deadlineMs / 1000} s`);
    controller.abort(error);
    reject(error);
  }, deadlineMs);
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
