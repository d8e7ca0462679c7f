import { createDataset } from '../dataset.ts';
import { startKeyward } from '../keyward.ts';
import { fillCache, Load, writeValidations } from '../load.ts';
import { program } from '../peers.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { ratios } from '../statistics.ts';

/** A measurement is longer than the usual turn, so that it contains several usage flushes. */
const TURNS_PER_MEASUREMENT = 1.5;

/**
 * The cost of counting usage: one server, which counts or does not, in turns. Two processes would
 * differ by as much as the counting costs.
 */
export const usageCost: Scenario = async (bench) => {
  const { cachedKeys, turnSeconds } = bench.scale;
  const { folder, keys } = await createDataset(cachedKeys);
  const keyward = await startKeyward(folder, {
    fromSource: true,
    nodeFlags: ['--import', program('switch-counting')],
  });
  const { port, pid } = keyward;
  const requestsFile = writeValidations(folder, 'validations', keys);
  const counting = new Load({ port, pid, requestsFile });
  const notCounting = new Load({ port, pid, requestsFile });
  let isCounting = true;
  const switchTo = (load: Load): void => {
    if ((load === counting) === isCounting) return;
    process.kill(pid, 'SIGUSR2');
    isCounting = !isCounting;
  };
  await fillCache(keyward, keys);
  const seconds = TURNS_PER_MEASUREMENT * turnSeconds;
  const sides = [counting, notCounting].map((load) => (isWarmUp: boolean) => {
    switchTo(load);
    return isWarmUp ? load.run(seconds) : load.measure(seconds);
  });
  await bench.takeTurns(
    sides.map((side) => () => side(true)),
    2,
  );
  await bench.takeTurns(sides.map((side) => () => side(false)));
  const cpu = ratios(
    notCounting.values('cpuMicrosPerRequest'),
    counting.values('cpuMicrosPerRequest'),
  );
  return [
    row('validations per CPU second, counting of usage on compared with off', '×', cpu, {
      atLeast: 0.9,
    }),
  ];
};
