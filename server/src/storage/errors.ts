/**
 * The database cannot serve at the moment: its thread died, it is closed, the disk is full or
 * failing, or somebody else holds it. Not the caller's fault, and worth another try later.
 */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY. */
const SQLITE_UNIQUE = new Set<unknown>([2067, 1555]);
const POSTGRES_UNIQUE = '23505';

/** Whether a statement failed because such a row is already there, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { errcode, code } = error as Error & { errcode?: unknown; code?: unknown };
  return SQLITE_UNIQUE.has(errcode) || code === POSTGRES_UNIQUE;
}
