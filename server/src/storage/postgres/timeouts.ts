import { READ_TIMEOUTS, type ReadTimeouts } from '../reads/read-lanes.ts';

/** Timeouts in milliseconds, after which a caller gets an error. */
export interface PostgresTimeouts {
  readonly connect: number;
  /** Response to the probe that distinguishes a slow statement from a dead connection. */
  readonly probe: number;
  /** Wait for a free session of the pool. */
  readonly session: number;
  readonly transaction: number;
  readonly read: ReadTimeouts;
  /** Of single rows. */
  readonly statement: number;
  readonly lock: number;
}

export const POSTGRES_TIMEOUTS: PostgresTimeouts = {
  connect: 1_500,
  probe: 700,
  session: 10_000,
  transaction: 10_000,
  read: READ_TIMEOUTS,
  statement: 30_000,
  lock: 5_000,
};
