import type { Immutable } from './columns.ts';

export interface InstallationTable {
  name: Immutable<string>;
  value: string;
}

/** Row in `installation`: value derived from the root secret. The first-start lock has the same name. */
export const CHECK_VALUE = 'secret check value';

/** Row in `installation`: written and deleted again to test whether the disk has space. */
export const SPACE_CHECK = 'space check';

/** Row in `installation`: progress of a move into this database. */
export const MOVE = 'move';

export interface IdempotencyTable {
  principal_id: Immutable<string>;
  route: Immutable<string>;
  idempotency_key: Immutable<string>;
  request_hash: Immutable<string>;
  status: Immutable<number>;
  /** The response, encrypted: it may contain a key value. */
  response: Immutable<string>;
  /** The created resource: erasing it also erases this row. */
  resource_id: Immutable<string>;
  expires_at: Immutable<number>;
}

/** Open rate-limit windows, saved when the server stops. An embedded server saves the long ones every few seconds. */
export interface RateWindowsTable {
  /** The name of the counter, not the limit group of a key. */
  limit_group: Immutable<string>;
  reset_at: number;
  consumed: number;
  /** Only of sliding windows: their length, and the count of the previous window. */
  window_ms: number | null;
  previous: number | null;
}
