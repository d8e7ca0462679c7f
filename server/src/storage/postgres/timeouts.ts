/** How long PostgreSQL is waited for, in milliseconds, before a caller gets an error. */
export interface PostgresTimeouts {
  readonly connect: number;
  /** For the answer that tells a slow statement from a dead link. */
  readonly probe: number;
  /** For a free session of the pool. */
  readonly session: number;
  readonly transaction: number;
  /** Longer lists are read in pages; a page that takes so long would not be waited for. */
  readonly statement: number;
  readonly lock: number;
}

export const POSTGRES_TIMEOUTS: PostgresTimeouts = {
  connect: 1_500,
  probe: 700,
  session: 10_000,
  transaction: 10_000,
  statement: 30_000,
  lock: 5_000,
};
