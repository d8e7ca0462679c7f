import { setTimeout as sleep } from 'node:timers/promises';
import { storedDataset } from '../dataset.ts';
import { type Keyward, startKeyward } from '../keyward.ts';
import { cpuMicros, rssMb } from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';

const KEYS_PER_BATCH = 1_000;
const IN_FLIGHT = 4;
const POLL_MS = 250;

/** Every stored key is validated once, so that no two uses can be added up before they are stored. */
export const usage: Scenario = async (bench) => {
  const { storedKeys } = bench.scale;
  bench.log(`storing ${storedKeys.toLocaleString('en-GB')} keys`);
  const { folder, keys } = await storedDataset(storedKeys);
  const keyward = await startKeyward(folder);
  const countedBefore = await countedUses(keyward);
  const cpuBefore = cpuMicros(keyward.pid);
  bench.log('validating each of them once');
  const startedAt = performance.now();
  let next = 0;
  const validate = async (): Promise<void> => {
    while (next < keys.length) {
      const batch = keys.slice(next, next + KEYS_PER_BATCH);
      next += batch.length;
      const { status } = await keyward.request('POST', '/api-keys/auth', { keys: batch });
      if (status !== 200) throw new Error(`A batch returned ${status}.`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, validate));
  const validatedAt = performance.now();
  const counts = async () => (await countedUses(keyward)) - countedBefore;
  while ((await counts()) < storedKeys) await sleep(POLL_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuSeconds = (cpuMicros(keyward.pid) - cpuBefore) / 1e6;
  const counted = await counts();
  if (counted !== storedKeys) throw new Error(`${counted} uses of ${storedKeys} were counted.`);
  return [
    row(
      'different keys used and counted in a minute of CPU',
      'keys',
      (60 * storedKeys) / cpuSeconds,
      { atLeast: 1_000_000 },
    ),
    row('different keys used and counted in a minute', 'keys', (60 * storedKeys) / seconds),
    row('delay of the counts after the last use', 's', seconds - (validatedAt - startedAt) / 1000),
    row('RSS with that many keys in use', 'MB', rssMb(keyward.pid)),
  ];
};

async function countedUses(keyward: Keyward): Promise<number> {
  const response = await keyward.request('GET', '/analytics/project-totals');
  const totals = (await response.json()) as { valid: number }[];
  return totals.reduce((sum, { valid }) => sum + valid, 0);
}
