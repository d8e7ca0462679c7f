import { sql } from 'kysely';
import type { Tx } from '../../../storage/index.ts';
import { SILENCE_MS_MAX } from './schedule.ts';

/**
 * The first attempt after the last long silence since `failingSince`; null when there was none. Two
 * failures a week apart are not a week of failure. Asked only of a webhook about to be disabled.
 */
export async function failingAfterSilence(
  tx: Tx,
  webhookId: string,
  failingSince: number,
): Promise<number | null> {
  const { rows } = await sql<{ since: number | null }>`
    select max(started_at) as since from (
      select started_at,
        coalesce(lag(started_at) over (order by started_at), ${failingSince}) as before
      from delivery_attempts join deliveries on deliveries.id = delivery_attempts.delivery_id
      where deliveries.webhook_id = ${webhookId}
        and deliveries.updated_at >= ${failingSince} and started_at >= ${failingSince}
    ) as tried
    where started_at - before > ${SILENCE_MS_MAX}`.execute(tx);
  return rows[0]?.since ?? null;
}
