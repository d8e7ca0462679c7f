import { createDataset } from '../dataset.ts';
import { startKeyward } from '../keyward.ts';
import { fillCache, Load, writeValidations } from '../load.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { ratios } from '../statistics.ts';

const KEYS = 100;

/** Cached keys in batches of 100, compared with one request per key. */
export const batch: Scenario = async (bench) => {
  const { cachedKeys, turnSeconds } = bench.scale;
  const { folder, keys } = await createDataset(cachedKeys);
  const keyward = await startKeyward(folder);
  const createLoad = (name: string, perCall: number) =>
    new Load({
      ...{ port: keyward.port, pid: keyward.pid },
      requestsFile: writeValidations(folder, name, keys, perCall),
    });
  const single = createLoad('single', 1);
  const batches = createLoad('batches', KEYS);
  await fillCache(keyward, keys);
  for (const each of [single, batches]) await each.run(2 * turnSeconds);
  await bench.takeTurns([single, batches].map((each) => () => each.measure(turnSeconds)));
  const cpuPerKey = batches.values('cpuMicrosPerRequest').map((micros) => micros / KEYS);
  return [
    row(
      'keys per CPU second in batches of 100 compared with single requests',
      '×',
      ratios(single.values('cpuMicrosPerRequest'), cpuPerKey),
      { atLeast: 4 },
    ),
    row(
      'keys in batches of 100',
      'keys/s',
      batches.values('perSecond').map((calls) => calls * KEYS),
    ),
  ];
};
