import type { PostgresTimeouts } from '../../src/storage/postgres/timeouts.ts';

/** A server that gets a fraction of a core is slow, not away: only tests of a lost link say otherwise. */
export const PATIENT_TIMEOUTS: PostgresTimeouts = {
  connect: 60_000,
  probe: 60_000,
  session: 240_000,
  transaction: 240_000,
  statement: 240_000,
  lock: 120_000,
};
