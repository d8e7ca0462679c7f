import type { PostgresTimeouts } from '../../src/storage/postgres/timeouts.ts';
import type { ReadTimeouts } from '../../src/storage/reads/read-lanes.ts';

/** For calls of the SDK, whose default of 5 s is too short on a busy machine. */
export const CALL_TIMEOUT_MS = 240_000;

/**
 * For the change bus: a busy machine may stop a process for a second, and a node that reconnects
 * receives "everything" instead of the changes made meanwhile.
 */
export const BUS_SILENCE_MS = 60_000;

/** A reader may have to be started first. */
export const LONG_READS: ReadTimeouts = { request: 240_000, background: 240_000 };

/**
 * Long timeouts, because a server on a busy machine is slow but not lost. Tests of lost connections
 * use shorter ones.
 */
export const LONG_TIMEOUTS: PostgresTimeouts = {
  connect: 60_000,
  probe: 60_000,
  session: 240_000,
  transaction: 240_000,
  read: LONG_READS,
  statement: 240_000,
  lock: 120_000,
};
