import type { ErrorCode } from '../generated/operations.ts';

/**
 * `unreachable`: no response. `timeout`: no response in time. `unavailable`: a validation that was not sent,
 * because Keyward did not respond to earlier ones. `unexpected_response`: the response is not from Keyward,
 * or from a version that this client does not understand.
 */
export type ClientErrorCode = 'unreachable' | 'timeout' | 'unavailable' | 'unexpected_response';

/** A code of the server or of the client; a newer server may send codes that are not listed. */
export type KeywardErrorCode = ErrorCode | ClientErrorCode | (string & {});

export interface KeywardErrorDetails {
  readonly code: KeywardErrorCode;
  readonly message: string;
  /** Null when there was no response. */
  readonly statusCode: number | null;
  /** Quote it when you contact the operator; null without a response of Keyward. */
  readonly requestId: string | null;
  /** The URL of the server's page about the code; null when the server sent none. */
  readonly docs?: string | null;
  /** How long the server asks the client to wait; null when it sent no `Retry-After`. */
  readonly retryAfterSeconds: number | null;
  /** The body of the response; undefined if it was not JSON, or if there was no response. */
  readonly body?: unknown;
  readonly cause?: unknown;
}

/** A failed call. `code` is stable: rely on it, not on the message. */
export class KeywardError extends Error {
  readonly code: KeywardErrorCode;
  readonly statusCode: number | null;
  readonly requestId: string | null;
  readonly docs: string | null;
  readonly retryAfterSeconds: number | null;
  readonly body: unknown;

  constructor(details: KeywardErrorDetails) {
    super(details.message, 'cause' in details ? { cause: details.cause } : undefined);
    this.name = 'KeywardError';
    this.code = details.code;
    this.statusCode = details.statusCode;
    this.requestId = details.requestId;
    this.docs = details.docs ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.body = details.body;
  }
}

/**
 * Keyward did not respond, or responded with a 5xx status. The call may have taken effect, unless `code` is
 * `unavailable`.
 */
export class KeywardUnavailable extends KeywardError {
  constructor(details: KeywardErrorDetails) {
    super(details);
    this.name = 'KeywardUnavailable';
  }
}

/** The error for a call without a response: network failure or timeout. */
export const noResponse = (code: 'unreachable' | 'timeout', message: string, cause?: unknown) =>
  new KeywardUnavailable({
    code,
    message,
    statusCode: null,
    requestId: null,
    retryAfterSeconds: null,
    cause,
  });
