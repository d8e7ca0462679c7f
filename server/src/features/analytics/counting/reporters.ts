import { sql } from 'kysely';
import { KeywardError } from '../../../kernel/errors.ts';
import type { Storage } from '../../../storage/index.ts';
import { DAY_MS } from '../usage-kinds.ts';

/** Maximum number of reporters of one access key. Each has a row with the number of its last report. */
const REPORTERS_MAX = 10_000;

/**
 * How long the last number of a reporter is kept. Reports older than 12 hours are rejected, so a repeated
 * report is always recognized.
 */
const KEPT_MS = DAY_MS;

/** The value of `usage_flushes.node_id`. The ids of tallies, which are also stored there, have no space. */
export const reporterName = (accessKeyId: string, reporter: string): string =>
  `${accessKeyId} ${reporter}`;

/** Rejects a new reporter of an access key that has too many. */
export async function checkReporterLimit(
  { read, point }: Storage,
  accessKeyId: string,
  name: string,
): Promise<void> {
  const known = await point
    .selectFrom('usage_flushes')
    .select('batch')
    .where('node_id', '=', name)
    .executeTakeFirst();
  if (known !== undefined) return;
  const prefix = reporterName(accessKeyId, '');
  const { count } = await read
    .selectFrom('usage_flushes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(sql<string>`substr(node_id, 1, ${sql.lit(prefix.length)})`, '=', prefix)
    .executeTakeFirstOrThrow();
  if (Number(count) >= REPORTERS_MAX)
    throw new KeywardError('too_many_reporters', undefined, { headers: ['Retry-After', '3600'] });
}

/** Deletes reporters that have stopped reporting. */
export async function deleteOldReporters(storage: Storage, now: number): Promise<void> {
  await storage.transaction((tx) =>
    tx
      .deleteFrom('usage_flushes')
      .where('flushed_at', '<', now - KEPT_MS)
      .where('node_id', 'like', '% %')
      .execute(),
  );
}
