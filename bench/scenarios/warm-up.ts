import { LocalKeyward } from 'keyward/local';
import { createDataset } from '../dataset.ts';
import { ACCESS_KEY, startKeyward } from '../keyward.ts';
import { cpuMicros } from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';

const KEYS = 18_000;
/** So many show how long all of them would take. */
const ONE_BY_ONE = 1_000;

/** How long a process takes to cache many keys before it serves requests. Half of them have a limit. */
export const warmUp: Scenario = async (bench) => {
  const { folder, keys } = await createDataset(KEYS);
  const keyward = await startKeyward(folder);
  const open = async () => {
    const url = `http://127.0.0.1:${keyward.port}`;
    const local = new LocalKeyward({ url, accessKey: ACCESS_KEY });
    await local.ready;
    return local;
  };
  const seconds: number[] = [];
  const serverSeconds: number[] = [];
  const oneByOneSeconds: number[] = [];
  const bulk = async () => {
    const local = await open();
    const [startedAt, cpuAt] = [performance.now(), cpuMicros(keyward.pid)];
    const { cached } = await local.warmUp(keys);
    seconds.push((performance.now() - startedAt) / 1e3);
    serverSeconds.push((cpuMicros(keyward.pid) - cpuAt) / 1e6);
    if (cached !== KEYS) throw new Error(`Only ${cached} keys are cached.`);
    await local.close();
  };
  const oneByOne = async () => {
    const local = await open();
    const startedAt = performance.now();
    for (const key of keys.slice(0, ONE_BY_ONE)) await local.validate(key);
    const perKey = (performance.now() - startedAt) / 1e3 / ONE_BY_ONE;
    oneByOneSeconds.push(perKey * KEYS);
    await local.close();
  };
  await bench.takeTurns([bulk, oneByOne], Math.min(3, bench.scale.rounds));
  return [
    row(`warm-up of ${KEYS} keys`, 's', seconds, { atMost: 5 }),
    row('the same: CPU of the server', 's', serverSeconds),
    row(`${KEYS} keys validated one by one`, 's', oneByOneSeconds),
  ];
};
