import type { Clock } from '../../kernel/clock.ts';
import type { Storage, Tx } from '../../storage/index.ts';
import type { Outbox, OutgoingEvent } from '../changes/index.ts';
import { journalScripts } from './journal-script.ts';
import type { UsageBatch } from './usage-batch.ts';
import { writeBatch } from './usage-store.ts';
import type { WriteUsage } from './usage-tally.ts';

/** The events of keys used for the first time, as features/api-keys shows such keys. */
export type DescribeFirstUses = (
  tx: Tx,
  keySeqs: readonly number[],
) => Promise<readonly OutgoingEvent[]>;

/** Keys in a batch that are added to their minutes at once: what half a per cent of a core can do. */
const DIRECT_KEYS_MAX = 500;

/** Writes batches into the database, whichever tally cut them, and tells of first uses. */
export function usageWriter(parts: {
  storage: Storage;
  outbox: Outbox;
  describe: DescribeFirstUses;
  clock: Clock;
  directKeysMax?: number;
}): WriteUsage {
  const { storage, outbox, describe, clock, directKeysMax = DIRECT_KEYS_MAX } = parts;
  const journalScript = journalScripts(storage);

  /** In the transaction that records them: whoever recorded a first use tells of it, once. */
  async function onFirstUses(tx: Tx, keySeqs: readonly number[]): Promise<readonly string[]> {
    const events = await describe(tx, keySeqs);
    return events.length === 0 ? [] : outbox.write(tx, events, clock());
  }

  return async (nodeId: string, batch: UsageBatch) => {
    const writer = { storage, nodeId, directKeysMax, journalScript, onFirstUses };
    outbox.wake(await writeBatch(writer, batch, clock()));
  };
}
