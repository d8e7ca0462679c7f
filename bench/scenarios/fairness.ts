import { setTimeout as sleep } from 'node:timers/promises';
import { createDataset, unknownKeys } from '../dataset.ts';
import { ACCESS_KEY, type Keyward, startKeyward } from '../keyward.ts';
import { Load, writeValidations } from '../load.ts';
import { latenciesOfValidations } from '../neighbours/latencies.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { quantile, ratios } from '../statistics.ts';

const PER_SECOND = 400;
const SECONDS = 1.5;
/** The server shares its time among the batches, so each of them takes several seconds. */
const FLOOD_SECONDS = 4;
const ROUNDS = 3;
const UNKNOWN_KEYS = 20_000;
const BATCH = 1_000;

/** Single validations with one access key, alone and while another sends large batches. */
export const fairness: Scenario = async (bench) => {
  const { folder, keys } = await createDataset(1_000);
  const keyward = await startKeyward(folder);
  const { port, pid } = keyward;
  const flood = new Load({
    ...{ port, pid, connections: 40, accessKey: await createAccessKey(keyward) },
    requestsFile: writeValidations(folder, 'unknown', unknownKeys(UNKNOWN_KEYS), BATCH),
  });
  const steady = { port, accessKey: ACCESS_KEY, keys, perSecond: PER_SECOND, seconds: SECONDS };
  const p95 = async () => quantile(await latenciesOfValidations(steady), 0.95);
  await p95();
  await flood.run(FLOOD_SECONDS);
  const alone: number[] = [];
  const besideFlood: number[] = [];
  await bench.takeTurns(
    [
      async () => alone.push(await p95()),
      async () => {
        const flooding = flood.run(FLOOD_SECONDS);
        await sleep(500);
        besideFlood.push(await p95());
        await flooding;
      },
    ],
    Math.min(ROUNDS, bench.scale.rounds),
  );
  return [
    row(
      'p95 of single validations during large batches of another access key, compared with alone',
      '×',
      ratios(besideFlood, alone),
      { atMost: 3 },
    ),
    row('p95 of single validations', 'ms', alone),
    row('p95 of single validations during large batches', 'ms', besideFlood),
  ];
};

async function createAccessKey(keyward: Keyward): Promise<string> {
  const body = { name: 'Batches', scopes: ['keys:validate'] };
  const response = await keyward.request('POST', '/access-keys', body);
  if (response.status !== 201) throw new Error(`No access key: ${response.status}.`);
  return ((await response.json()) as { key: string }).key;
}
