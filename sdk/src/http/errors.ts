import type { ErrorCode } from '../generated/operations.ts';

/**
 * `unreachable`: no answer came. `timeout`: none came in time. `unexpected_answer`: what answered
 * is not Keyward, or not one that this client understands.
 */
export type ClientErrorCode = 'unreachable' | 'timeout' | 'unexpected_answer';

/** A code of the server, one of the client, or one of a newer server. */
export type KeywardErrorCode = ErrorCode | ClientErrorCode | (string & {});

export interface KeywardErrorDetails {
  readonly code: KeywardErrorCode;
  readonly message: string;
  /** Null when there was no answer. */
  readonly statusCode: number | null;
  /** Quote it when you ask the operator; null when there was no answer. */
  readonly requestId: string | null;
  /** The page about the code, on the server itself; null when the server does not say. */
  readonly docs?: string | null;
  /** How long the server asks to wait; null when it does not say. */
  readonly retryAfterSeconds: number | null;
  /** The body of the response; undefined if it was not JSON, or if there was no response. */
  readonly body?: unknown;
  readonly cause?: unknown;
}

/** A call that did not succeed. `code` is stable: build on it, not on the message. */
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

/** Keyward did not answer, or answered that it cannot at the moment (5xx). Nothing is known. */
export class KeywardUnavailable extends KeywardError {
  constructor(details: KeywardErrorDetails) {
    super(details);
    this.name = 'KeywardUnavailable';
  }
}

/** No answer: the network failed, or the time was over. */
export const noAnswer = (code: 'unreachable' | 'timeout', message: string, cause?: unknown) =>
  new KeywardUnavailable({
    code,
    message,
    statusCode: null,
    requestId: null,
    retryAfterSeconds: null,
    cause,
  });
