import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createDataset, type Dataset, storedDataset } from '../dataset.ts';
import { startKeyward } from '../keyward.ts';
import { fillCache, Load, writeValidations } from '../load.ts';
import { formatFigure, row } from '../report.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { ratios } from '../statistics.ts';

const STARTS = 4;

/** Few and many stored keys, with the same number in use. */
async function createDatasets({ scale, log }: Bench) {
  const { cachedKeys, storedKeys: stored } = scale;
  log(`storing ${formatFigure(stored)} keys`);
  const few = await createDataset(cachedKeys);
  const all = await storedDataset(stored);
  const many = { ...all, keys: all.keys.slice(0, cachedKeys) };
  const sizes = `${formatFigure(stored)} stored keys compared with ${formatFigure(cachedKeys)}`;
  return { few, many, sizes };
}

/** The CPU time of a start with few and with many stored keys. */
export const storedKeysStart: Scenario = async (bench) => {
  const { few, many, sizes } = await createDatasets(bench);
  const cpuMs = { few: [] as number[], many: [] as number[] };
  const measureStart = async (size: 'few' | 'many', { folder }: Dataset): Promise<void> => {
    const server = await startKeyward(folder);
    cpuMs[size].push(server.cpuMsUntilReady);
    await server.stop();
  };
  await bench.takeTurns([() => measureStart('few', few), () => measureStart('many', many)], STARTS);
  const compared = ratios(cpuMs.many, cpuMs.few);
  return [row(`CPU until ready, ${sizes}`, '×', compared, { atMost: 1.2 })];
};

/** The CPU time of a validation among few and among many stored keys. */
export const storedKeys: Scenario = async (bench) => {
  const { few, many, sizes } = await createDatasets(bench);
  const fileSize = statSync(join(many.folder, 'keyward.db')).size;
  bench.log('validating');
  const createLoad = async ({ folder, keys }: Dataset): Promise<Load> => {
    const keyward = await startKeyward(folder);
    await fillCache(keyward, keys);
    const requestsFile = writeValidations(folder, 'validations', keys);
    const started = new Load({ port: keyward.port, pid: keyward.pid, requestsFile });
    await started.runRequests(keys.length);
    return started;
  };
  const [amongFew, amongMany] = [await createLoad(few), await createLoad(many)];
  const { storedKeys: stored, turnSeconds } = bench.scale;
  await bench.takeTurns([amongFew, amongMany].map((each) => () => each.measure(turnSeconds)));
  const cpu = ratios(
    amongFew.values('cpuMicrosPerRequest'),
    amongMany.values('cpuMicrosPerRequest'),
  );
  return [
    row(`validations per CPU second, ${sizes}`, '×', cpu, { atLeast: 0.9 }),
    row('database size per stored key', 'bytes', fileSize / stored),
  ];
};
