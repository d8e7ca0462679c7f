import type { FastifyBaseLogger } from 'fastify';
import { type ErrorCode, KeywardError } from '../../kernel/errors.ts';
import {
  NoConnectionSlot,
  ReadCancelled,
  ReadsOverloaded,
  ReadTooSlow,
  StorageFull,
  StorageUnavailable,
} from '../../storage/index.ts';

/** Fastify's errors and our codes for them. */
const FASTIFY_CODES: Record<string, ErrorCode> = {
  FST_ERR_BAD_URL: 'invalid_path',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_header',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_ASYNC_CONSTRAINT: 'invalid_request',
};

const RETRY_SOON = ['Retry-After', '1'];

/** Space is not freed by itself: retrying every second gains nothing. */
const STORAGE_FULL_RETRY = ['Retry-After', '30'];

const READS_WAIT =
  'Too many lists and reports wait for the database. Send fewer at a time, and retry after the time in Retry-After.';

/** An error that is worth a retry, with its `Retry-After`. */
export const tryLater = (code: ErrorCode, cause?: unknown, message?: string): KeywardError =>
  new KeywardError(code, message, {
    headers: code === 'storage_full' ? STORAGE_FULL_RETRY : RETRY_SOON,
    cause,
  });

/** Why the database cannot be used. */
export function storageCode(error: unknown) {
  if (error instanceof StorageFull) return 'storage_full';
  if (error instanceof NoConnectionSlot) return 'too_many_database_connections';
  return 'storage_unavailable';
}

/**
 * Maps anything thrown to an error of the catalogue. Unexpected errors are logged and not shown to the caller.
 * `slowMessage`: what would make the request faster.
 */
export function toKeywardError(
  error: unknown,
  log: FastifyBaseLogger,
  slowMessage: () => string | undefined = () => undefined,
): KeywardError {
  if (error instanceof KeywardError) return error;
  if (error instanceof ReadTooSlow) {
    log.warn(error.message);
    return new KeywardError('query_too_slow', slowMessage(), { cause: error });
  }
  if (error instanceof ReadsOverloaded) return tryLater('overloaded', error, READS_WAIT);
  if (error instanceof ReadCancelled) return unread(error, log);
  if (error instanceof StorageUnavailable) {
    log.error({ err: error }, error.message);
    return tryLater(storageCode(error), error);
  }
  const { code: name = '' } = (error ?? {}) as { code?: string };
  if (name === 'ERR_STREAM_PREMATURE_CLOSE') return unread(error, log);
  const code = FASTIFY_CODES[name];
  if (code !== undefined) return new KeywardError(code);
  const status = (error as { statusCode?: number })?.statusCode;
  if (status !== undefined && status >= 400 && status < 500)
    return new KeywardError('invalid_request');
  log.error({ err: error }, 'unexpected error');
  return new KeywardError('internal_error', undefined, { cause: error });
}

/** Nobody receives the response. */
function unread(error: unknown, log: FastifyBaseLogger): KeywardError {
  log.debug({ err: error }, 'the client disconnected during a response');
  return new KeywardError('internal_error', undefined, { cause: error });
}
