import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDataset, unknownKeys } from '../dataset.ts';
import { ACCESS_KEY, type Keyward, startKeyward } from '../keyward.ts';
import { Load, writeValidations } from '../load.ts';
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
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Single validations with one access key, alone and while another sends large batches. */
export const fairness: Scenario = async (bench) => {
  const { folder, keys } = await createDataset(1_000);
  const keyward = await startKeyward(folder);
  const { port, pid } = keyward;
  const flood = new Load({
    ...{ port, pid, connections: 40, accessKey: await createAccessKey(keyward) },
    requestsFile: writeValidations(folder, 'unknown', unknownKeys(UNKNOWN_KEYS), BATCH),
  });
  const p95 = () => p95OfValidations(port, keys);
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

/**
 * Sends validations at a constant rate and takes their latency from when each was due: a pause of the
 * server then counts for every request that was due during it.
 */
async function p95OfValidations(port: number, keys: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const latencies = Array.from({ length: PER_SECOND * SECONDS }, async (_, n) => {
    const dueMs = (n * 1000) / PER_SECOND;
    await sleep(dueMs);
    await validate(port, keys[n % keys.length]!);
    return performance.now() - startedAt - dueMs;
  });
  return quantile(await Promise.all(latencies), 0.95);
}

function validate(port: number, key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': ACCESS_KEY };
    const options = { agent, host: '127.0.0.1', port, method: 'POST', headers };
    request({ ...options, path: `/api-keys/auth/${key}` }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`A validation returned ${response.statusCode}.`));
      });
    })
      .once('error', reject)
      .end();
  });
}
