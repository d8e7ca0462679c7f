import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { seeding } from '../seed.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * An hour of usage by the minute, two hours ago, of so many keys, as if nothing had been summed up
 * since: the next roll-up has all of it to do.
 */
export function seedMinutes(dataDirectory: string, keys: number, now: number): void {
  const first = Math.floor((now - 2 * HOUR_MS) / HOUR_MS) * HOUR_MS;
  seeding(dataDirectory, (database) =>
    database.exec(`
      INSERT INTO usage_minutes (start, seq, valid, rate_limited, revoked, expired, domain_denied)
      WITH RECURSIVE minutes(start) AS (
        SELECT ${first} UNION ALL SELECT start + ${MINUTE_MS} FROM minutes
        WHERE start + ${MINUTE_MS} < ${first + HOUR_MS})
      SELECT minutes.start, keys.seq, 1 + keys.seq % 7, 0, 0, 0, 0
      FROM minutes CROSS JOIN (SELECT seq FROM api_keys ORDER BY seq LIMIT ${keys}) AS keys
      ORDER BY 1, 2`),
  );
}

/** Whether everything up to an hour ago is summed up. */
export function isRolledUp(dataDirectory: string, now: number): boolean {
  const database = new DatabaseSync(join(dataDirectory, 'keyward.db'), { readOnly: true });
  try {
    const { until } = database
      .prepare("SELECT rolled_until AS until FROM usage_watermarks WHERE level = 'key minutes'")
      .get() as { until: number };
    return until > now - HOUR_MS;
  } finally {
    database.close();
  }
}
