import { chunksOf, type Tx } from '../../storage/index.ts';
import type { OutgoingEvent } from '../changes/index.ts';
import { apiKey } from './record.ts';
import { keysBySeq } from './store.ts';

export async function firstUseEvents(tx: Tx, seqs: readonly number[]): Promise<OutgoingEvent[]> {
  const events: OutgoingEvent[] = [];
  for (const chunk of chunksOf(seqs))
    for (const row of await keysBySeq(tx, chunk))
      events.push({
        type: 'api-key.firstUsed',
        accountId: row.account_id,
        projectId: row.project_id,
        data: apiKey(row),
      });
  return events;
}
