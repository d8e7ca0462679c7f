import { KeywardError, type KeywardErrorDetails, KeywardUnavailable } from './errors.ts';

/** A response whose body has been read. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A body that is not JSON becomes undefined; `failureOf` reports it as `unexpected_response`. */
export async function readResponse(response: Response): Promise<ApiResponse> {
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

/** The error for a response; null for a success. */
export function failureOf(response: ApiResponse, now: number): KeywardError | null {
  const succeeded = response.status >= 200 && response.status < 300;
  if (succeeded && response.body !== undefined) return null;
  const details = detailsOf(response, now);
  return response.status >= 500 ? new KeywardUnavailable(details) : new KeywardError(details);
}

function detailsOf({ status, headers, body }: ApiResponse, now: number): KeywardErrorDetails {
  const fields = (body ?? {}) as Partial<
    Record<'code' | 'message' | 'requestId' | 'docs', unknown>
  >;
  const common = { statusCode: status, retryAfterSeconds: retryAfterOf(headers, now), body };
  if (typeof fields.code !== 'string') {
    const message = `The response is not from Keyward (status ${status}). Check \`url\`.`;
    return { ...common, code: 'unexpected_response', message, requestId: null };
  }
  const requestId = typeof fields.requestId === 'string' ? fields.requestId : null;
  const docs = typeof fields.docs === 'string' ? fields.docs : null;
  const message = String(fields.message ?? fields.code);
  return { ...common, code: fields.code, message, requestId, docs };
}

/**
 * `Retry-After` is a number of seconds or, from some proxies, a date. `retry-after-seconds` is more
 * precise, but successful responses have it too, so it counts only together with `Retry-After`.
 */
function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get('retry-after');
  if (text === null || text.trim() === '') return null;
  const seconds = Number(headers.get('retry-after-seconds') ?? text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1000);
}
