/**
 * What slow lists of one account cost others: `node bench/slow-lists.ts` prints a table. The slow lists are
 * made in the database of an otherwise empty server (neighbours/slow-leaks.ts).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ACCESS_KEY, startKeyward } from './keyward.ts';
import { createAccount } from './neighbours/accounts.ts';
import { median } from './statistics.ts';

const SLOW_LEAKS = fileURLToPath(new URL('./neighbours/slow-leaks.ts', import.meta.url));
const ROUNDS = 20;

const folder = mkdtempSync(join(tmpdir(), 'keyward-slow-lists-'));
const keyward = await startKeyward(folder, {
  fromSource: true,
  nodeFlags: ['--import', SLOW_LEAKS],
  core: null,
});

/** Milliseconds until the response, and its status; 0 if the connection was closed. */
async function list(path: string, accessKey: string): Promise<{ ms: number; status: number }> {
  const url = `http://127.0.0.1:${keyward.port}${path}`;
  const began = performance.now();
  const status = await fetch(url, { headers: { 'x-api-key': accessKey } }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
  return { ms: performance.now() - began, status };
}

const row = (what: string, { ms, status }: { ms: number; status: number | string }) =>
  console.log(`| ${what} | ${ms < 100 ? ms.toFixed(1) : Math.round(ms)} ms | ${status} |`);

async function rounds(path: string, accessKey: string) {
  const answers: { ms: number; status: number }[] = [];
  for (let n = 0; n < ROUNDS; n++) answers.push(await list(path, accessKey));
  const times = answers.map(({ ms }) => ms);
  return { first: answers[0]!, median: median(times), worst: Math.max(...times) };
}

try {
  const neighbour = await createAccount(keyward, 0);
  console.log('| | time | status |\n|---|---|---|');
  const alone = await rounds('/projects', neighbour.accessKey);
  row("a neighbour's list, alone: median", { ms: alone.median, status: 200 });
  const slow = [1, 2].map(() => list('/leaks', ACCESS_KEY));
  await sleep(2_000);
  row('/readyz beside two slow lists', await list('/readyz', ACCESS_KEY));
  const beside = await rounds('/projects', neighbour.accessKey);
  row("a neighbour's first list beside two slow lists", beside.first);
  row(`the same: median of ${ROUNDS}`, { ms: beside.median, status: 200 });
  row(`the same: worst of ${ROUNDS}`, { ms: beside.worst, status: 200 });
  const [one, two] = await Promise.all(slow);
  row('a slow list', one!);
  row('another slow list of the same account', two!);
  const last = list('/leaks', ACCESS_KEY);
  await sleep(1_000);
  const began = performance.now();
  await keyward.stop();
  row('from SIGTERM to the exit beside a slow list', { ms: performance.now() - began, status: '' });
  await last;
} finally {
  await keyward.stop().catch(() => {});
  rmSync(folder, { recursive: true, force: true });
}
