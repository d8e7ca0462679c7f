import { setTimeout as sleep } from 'node:timers/promises';
import { createDataset } from '../dataset.ts';
import { startKeyward } from '../keyward.ts';
import { rssMb } from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';

const ROUNDS = 5;
const IDLE_MS = 4_000;

/** CPU time from the start of the process to the first 200 of /readyz, and memory without load. */
export const start: Scenario = async (bench) => {
  const { folder } = await createDataset(0);
  const cpuSeconds: number[] = [];
  const readySeconds: number[] = [];
  const idleMb: number[] = [];
  await bench.takeTurns(
    [
      async () => {
        const keyward = await startKeyward(folder);
        cpuSeconds.push(keyward.cpuMsUntilReady / 1000);
        readySeconds.push(keyward.readyAfterMs / 1000);
        await sleep(IDLE_MS);
        idleMb.push(rssMb(keyward.pid));
        await keyward.stop();
      },
    ],
    Math.min(ROUNDS, bench.scale.rounds),
  );
  return [
    row('CPU until ready', 's', cpuSeconds, { atMost: 1 }),
    row('idle RSS', 'MB', idleMb, { atMost: 130 }),
    row('time until ready', 's', readySeconds),
  ];
};
