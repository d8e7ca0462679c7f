import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDataset } from '../dataset.ts';
import { startKeyward } from '../keyward.ts';
import { program } from '../peers.ts';
import { cpuMicros, LOAD_CORE, Worker } from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { ratios } from '../statistics.ts';

/** Each key is first validated over HTTP, which limits how many a run can afford. */
const KEYS_MAX = 20_000;
/** The SDK reports local usage once a second; the server's work for it belongs to the turn. */
const REPORT_PAUSE_MS = 1_500;

/** The SDK's validation in the caller's process, compared with the SDK over HTTP. */
export const inProcess: Scenario = async (bench) => {
  const { cachedKeys, turnSeconds } = bench.scale;
  const { folder, keys } = await createDataset(Math.min(cachedKeys, KEYS_MAX));
  const keyward = await startKeyward(folder);
  const keysFile = join(folder, 'unlimited.txt');
  writeFileSync(keysFile, keys.filter((_, n) => n % 2 === 1).join('\n'));
  const url = `http://127.0.0.1:${keyward.port}`;
  const client = new Worker([program('sdk-client'), url, keysFile], LOAD_CORE);

  /** CPU time of client and server together for one validation. */
  const measure = async (kind: 'local' | 'http'): Promise<number> => {
    const before = cpuMicros(keyward.pid);
    const used = await client.request<{ validations: number; cpuMicros: number }>(
      `${kind} ${turnSeconds}`,
    );
    await sleep(REPORT_PAUSE_MS);
    return (used.cpuMicros + cpuMicros(keyward.pid) - before) / used.validations;
  };
  const local: number[] = [];
  const http: number[] = [];
  bench.log('validating every key once');
  for (const kind of ['local', 'http', 'local', 'http'] as const) await measure(kind);
  await bench.takeTurns([
    async () => local.push(await measure('local')),
    async () => http.push(await measure('http')),
  ]);
  return [
    row('in-process validations per CPU second compared with HTTP', '×', ratios(http, local), {
      atLeast: 20,
    }),
    row('in-process validation: CPU', 'µs', local),
    row('validation over HTTP: CPU of client and server', 'µs', http),
  ];
};
