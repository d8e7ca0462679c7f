import type { Tx } from '../../storage/index.ts';
import type { OutgoingEvent } from '../changes/index.ts';
import { apiKey } from './record.ts';
import { keysBySeq } from './store.ts';

/** Keys read in one statement. */
const CHUNK = 500;

export async function firstUseEvents(tx: Tx, seqs: readonly number[]): Promise<OutgoingEvent[]> {
  const events: OutgoingEvent[] = [];
  for (let start = 0; start < seqs.length; start += CHUNK)
    for (const row of await keysBySeq(tx, seqs.slice(start, start + CHUNK)))
      events.push({
        type: 'api-key.firstUsed',
        accountId: row.account_id,
        projectId: row.project_id,
        data: apiKey(row),
      });
  return events;
}
