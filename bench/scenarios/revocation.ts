import { startBackends } from '../cluster.ts';
import { seedPostgres } from '../dataset.ts';
import { type Keyward, startKeyward } from '../keyward.ts';
import { Load, writeValidations } from '../load.ts';
import { createFolder } from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { median, quantile } from '../statistics.ts';

/** Keys that are validated on the second node all the time. */
const LOADED_KEYS = 2_000;

/** Time from the response to a revocation until another node, under load, rejects the key. */
export const revocation: Scenario = async (bench) => {
  const { databaseUrl, env } = await startBackends();
  const first = await startKeyward(createFolder(), { env });
  const second = await startKeyward(createFolder(), { env });
  const keys = await seedPostgres(databaseUrl, LOADED_KEYS + bench.scale.revocations);
  const requestsFile = writeValidations(second.folder, 'load', keys.slice(0, LOADED_KEYS));
  const { port, pid } = second;
  const load = new Load({ port, pid, requestsFile, connections: 8, pauseMs: 0 });
  const times: number[] = [];
  const revokeAll = async () => {
    for (const key of keys.slice(LOADED_KEYS)) times.push(await revoke(first, second, key));
  };
  let isDone = false;
  const revoking = revokeAll().finally(() => {
    isDone = true;
  });
  while (!isDone) await load.run(1);
  await revoking;
  return [
    row('revocation on another node, p99', 'ms', quantile(times, 0.99), { atMost: 200 }),
    row('revocation on another node, median', 'ms', median(times)),
    row('revocation on another node, slowest', 'ms', Math.max(...times)),
  ];
};

async function revoke(first: Keyward, second: Keyward, key: string): Promise<number> {
  const validate = async () => (await second.request('POST', `/api-keys/auth/${key}`)).status;
  if ((await validate()) !== 200) throw new Error('A valid key was rejected.');
  const { status } = await first.request('DELETE', `/api-keys/${key}`);
  if (status !== 200) throw new Error(`A revocation returned ${status}.`);
  const revokedAt = performance.now();
  while ((await validate()) === 200);
  return performance.now() - revokedAt;
}
