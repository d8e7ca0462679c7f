import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDataset } from '../dataset.ts';
import { startKeyward } from '../keyward.ts';
import { fillCache } from '../load.ts';
import { program } from '../peers.ts';
import { rssMb } from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';

const WARM_UP_KEYS = 1_000;
/** By then the usage of the run has been stored. */
const SETTLE_MS = 1_500;

/**
 * Memory that one cached key adds to a server that has been under load: the heap in use, without
 * garbage. The resident memory follows about a minute later, when V8 has returned unused pages.
 */
export const memory: Scenario = async (bench) => {
  const { folder, keys } = await createDataset(bench.scale.cachedKeys);
  const file = join(folder, 'memory');
  const keyward = await startKeyward(folder, {
    nodeFlags: ['--expose-gc', '--import', program('collect-garbage')],
    env: { MEMORY_FILE: file },
  });
  const usedBytes = async (): Promise<number> => {
    await sleep(SETTLE_MS);
    rmSync(file, { force: true });
    process.kill(keyward.pid, 'SIGUSR2');
    for (;;) {
      await sleep(50);
      const text = readIfThere(file);
      if (text !== '') return Number(text);
    }
  };
  // As many validations as below, so that the cost of any load is in the base.
  const rest = keys.slice(WARM_UP_KEYS);
  await fillCache(
    keyward,
    rest.map((_, n) => keys[n % WARM_UP_KEYS]!),
  );
  const before = await usedBytes();
  await fillCache(keyward, rest);
  const after = await usedBytes();
  return [
    row('memory per cached key', 'KB', (after - before) / 1024 / rest.length, { atMost: 1.5 }),
    row(
      `RSS with ${keys.length.toLocaleString('en-GB')} cached keys, after a burst`,
      'MB',
      rssMb(keyward.pid),
    ),
  ];
};

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
