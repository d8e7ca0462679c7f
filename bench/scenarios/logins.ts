import { setTimeout as sleep } from 'node:timers/promises';
import { freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { startServer } from '../keyward-server.ts';
import { Lane } from '../lane.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { seedPeople, startSignIns } from '../sign-ins.ts';
import { ratiosOf } from '../statistics.ts';
import { takeTurns, upTo } from '../turns.ts';

const KEYS = 1_000;
const PEOPLE = 40;
const PARALLEL_LOGINS = 100;
const WARM_SECONDS = 1;
/** Of each turn, so that a crowd that has gathered is looked at more than once. */
const SLICES = 3;
const SLICE_SECONDS = 0.6;
/** Until all of them stand in line: it is they who are asked about, not their coming in one moment. */
const GATHER_MS = 600;

/** Validation while a crowd is at the login, half of it with a wrong password. */
export const logins: Scenario = async (bench) => {
  const dataset = await freshDataset(KEYS);
  const keysFile = writeKeys(dataset.folder, 'keys', dataset.keys);
  // Each attempt says another client address: throttling by address would end the crowd at once.
  const env = { KEYWARD_TRUSTED_PROXIES: '127.0.0.0/8' };
  const server = await startServer(dataset.folder, { env });
  const lane = new Lane({ port: server.port, pids: [server.pid], keysFile, pauseMs: 0 });
  const alone: number[] = [];
  const beside: number[] = [];
  const answered: number[] = [];
  try {
    const people = await seedPeople(server.port, PEOPLE);
    await lane.warmUp(WARM_SECONDS);
    const p99s = async (): Promise<number[]> => {
      const slices: number[] = [];
      for (const _ of upTo(SLICES)) slices.push((await lane.drive(SLICE_SECONDS)).p99Ms);
      return slices;
    };
    await takeTurns(bench.rounds('pairs'), [
      async () => alone.push(...(await p99s())),
      async () => {
        const crowd = startSignIns(server.port, people, PARALLEL_LOGINS);
        const startedAt = performance.now();
        await sleep(GATHER_MS);
        beside.push(...(await p99s()));
        const seconds = (performance.now() - startedAt) / 1000;
        answered.push((await crowd.stop()) / seconds);
      },
    ]);
  } finally {
    await server.stop();
    dataset.remove();
  }
  const name = `validation: p99 beside ${PARALLEL_LOGINS} parallel logins`;
  return [
    estimate(name, ratiosOf(beside, alone), { atMost: 1.5 }),
    row('  logins answered meanwhile', '/s', answered),
  ];
};
