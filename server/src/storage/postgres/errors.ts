import { NoConnectionSlot, StorageFull, StorageUnavailable } from '../errors.ts';

/**
 * An error of PostgreSQL, without the fields that repeat rows (`detail`, `where`): they would be
 * logged with the error, and rows contain hashes and secrets.
 */
class PostgresError extends Error {
  override readonly name = 'PostgresError';
  readonly code: string;
  readonly table: string | undefined;
  readonly constraint: string | undefined;

  constructor(message: string, code: string, table?: string, constraint?: string) {
    super(message);
    this.code = code;
    this.table = table;
    this.constraint = constraint;
  }
}

/** The connection was lost or could not be opened. The outcome of its last statement is unknown. */
export class ConnectionLost extends StorageUnavailable {}

const QUICK_LOSS_MS = 500;

/** True if there is still time for a retry on another session: the loss was not a timeout. */
export const wasLostQuickly = (error: unknown, began: number): boolean =>
  error instanceof ConnectionLost && performance.now() - began < QUICK_LOSS_MS;

interface ServerMessage extends Error {
  readonly code: string;
  readonly severity?: string;
  readonly table?: string;
  readonly constraint?: string;
}

/**
 * Classes and codes of errors that the statement did not cause: connection (08), resources (53), operator
 * intervention and timeouts (57), system (58, XX), lock and idle timeouts, a server that became a standby
 * (25006), and conflicts between transactions that remain after all retries (40).
 */
const UNAVAILABLE = /^(08|40|53|57|58|XX)|^(25006|25P03|25P04|55P03)$/;

const DISK_FULL = '53100';
const TOO_MANY_CONNECTIONS = '53300';

/** After these the session is unusable, even if the connection is still open. */
const ENDS_SESSION = /^(08|57P|25006|25P03|25P04|XX)/;

const SERVER_LOST = /^(08|57P|25006)/;

/** Deadlock and serialization failure: a retry may succeed. */
const CONFLICT = /^40(001|P01)$/;

/** By a timeout, by a cancel request, or by an administrator: the text, which differs, may be translated. */
const CANCELLED = '57014';

const LOCK_TIMEOUT = '55P03';

export function toStorageError(error: unknown): Error {
  if (error instanceof PostgresError || error instanceof StorageUnavailable) return error;
  if (!isServerMessage(error)) return lost(error);
  const { message, code, table, constraint } = error;
  const refused = new PostgresError(message, code, table, constraint);
  if (code === DISK_FULL)
    return new StorageFull(`The disk of PostgreSQL is full: ${message}.`, { cause: refused });
  if (code === TOO_MANY_CONNECTIONS)
    return new NoConnectionSlot(
      `PostgreSQL accepts no more connections: ${message}. Raise its max_connections, or lower KEYWARD_DATABASE_POOL of the nodes, which need one connection more each.`,
      { cause: refused },
    );
  return UNAVAILABLE.test(code)
    ? new StorageUnavailable(`PostgreSQL is unavailable: ${message}.`, { cause: refused })
    : refused;
}

/** True for errors that make a session unusable: network errors, and errors with which the server ends it. */
export const endsSession = (error: unknown): boolean =>
  error instanceof ConnectionLost || ENDS_SESSION.test(codeOf(error) ?? '');

/** True if the server cannot be reached, is shutting down or starting, or is no longer the primary. */
export const isServerLost = (error: unknown): boolean =>
  error instanceof ConnectionLost || SERVER_LOST.test(codeOf(error) ?? '');

export const isConflict = (error: unknown): boolean => CONFLICT.test(codeOf(error) ?? '');

export const isCancelled = (error: unknown): boolean => codeOf(error) === CANCELLED;

export const isLockTimeout = (error: unknown): boolean => codeOf(error) === LOCK_TIMEOUT;

/** True if the error came from the server, which shows that it can be reached. */
const isServerMessage = (error: unknown): error is ServerMessage =>
  error instanceof Error &&
  /^[0-9A-Z]{5}$/.test(String((error as ServerMessage).code)) &&
  (error as ServerMessage).severity !== undefined;

function codeOf(error: unknown): string | undefined {
  if (error instanceof PostgresError) return error.code;
  return error instanceof StorageUnavailable ? codeOf(error.cause) : undefined;
}

function lost(error: unknown): ConnectionLost {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return new ConnectionLost(`The connection to PostgreSQL is lost: ${reason}.`);
}
