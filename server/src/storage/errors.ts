/**
 * The database is temporarily unusable: its thread died, it is closed, the disk is failing, or another
 * process has locked it. Not the caller's fault; a retry may succeed.
 */
export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable';
}

/** The disk of the database is full. Reads still work; every change fails until there is space again. */
export class StorageFull extends StorageUnavailable {
  override readonly name: string = 'StorageFull';
}

/** A list or an aggregate did not end before its deadline. A retry would probably take as long. */
export class ReadTooSlow extends StorageUnavailable {
  override readonly name: string = 'ReadTooSlow';

  constructor() {
    super('A read did not end before its deadline.');
  }
}

/** The client of the request disconnected before its read ended. */
export class ReadCancelled extends StorageUnavailable {
  override readonly name: string = 'ReadCancelled';

  constructor() {
    super('A read was cancelled: its client has disconnected.');
  }
}

/** Too many reads wait for a reader, or this one waited until its deadline. */
export class ReadsOverloaded extends StorageUnavailable {
  override readonly name: string = 'ReadsOverloaded';
}

/** The database server accepts no more connections. */
export class NoConnectionSlot extends StorageUnavailable {
  override readonly name: string = 'NoConnectionSlot';
}

/** SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY. */
const SQLITE_UNIQUE = new Set<unknown>([2067, 1555]);
const POSTGRES_UNIQUE = '23505';

/**
 * True if a statement failed because the row already exists, on either engine. With `table`: true
 * only if the conflict was in that table.
 */
export function isUniqueViolation(error: unknown, table?: string): boolean {
  if (!(error instanceof Error)) return false;
  const { errcode, code } = error as Error & { errcode?: unknown; code?: unknown };
  if (!SQLITE_UNIQUE.has(errcode) && code !== POSTGRES_UNIQUE) return false;
  if (table === undefined) return true;
  // SQLite names the columns in its message, PostgreSQL the table in a separate field.
  const named = (error as Error & { table?: string }).table;
  return named === table || error.message.includes(`${table}.`);
}
