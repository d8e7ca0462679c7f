import { setTimeout as sleep } from 'node:timers/promises';
import { createDataset } from '../dataset.ts';
import { startKeyward } from '../keyward.ts';
import { fillCache } from '../load.ts';
import { program } from '../peers.ts';
import { rssMb } from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';

const WARM_UP_KEYS = 1_000;
const SETTLE_MS = 1_000;

/** Memory that one cached key adds to a server that has been under load. */
export const memory: Scenario = async (bench) => {
  const { folder, keys } = await createDataset(bench.scale.cachedKeys);
  const preload = ['--expose-gc', '--import', program('collect-garbage')];
  const keyward = await startKeyward(folder, { nodeFlags: preload });
  /** Memory without garbage, after the usage of the run has been stored. */
  const settledMb = async (): Promise<number> => {
    await sleep(SETTLE_MS);
    // The second collection frees what the finalisers of the first released.
    for (let n = 0; n < 2; n++) {
      process.kill(keyward.pid, 'SIGUSR2');
      await sleep(SETTLE_MS);
    }
    return rssMb(keyward.pid);
  };
  // As many validations as below, so that the cost of any load is in the base.
  const rest = keys.slice(WARM_UP_KEYS);
  await fillCache(
    keyward,
    rest.map((_, n) => keys[n % WARM_UP_KEYS]!),
  );
  const before = await settledMb();
  await fillCache(keyward, rest);
  const after = await settledMb();
  return [
    row('memory per cached key', 'KB', ((after - before) * 1024) / rest.length, { atMost: 1.5 }),
    row(`RSS with ${keys.length.toLocaleString('en-GB')} cached keys`, 'MB', after),
  ];
};
