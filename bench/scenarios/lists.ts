import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDataset } from '../dataset.ts';
import { ACCESS_KEY, startKeyward } from '../keyward.ts';
import { createAccount } from '../neighbours/accounts.ts';
import { enlargeKeys, startLargePages } from '../neighbours/large-pages.ts';
import { latenciesOfValidations } from '../neighbours/latencies.ts';
import { startUnreadResponses } from '../neighbours/unread-responses.ts';
import { program } from '../peers.ts';
import { rssMb } from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { quantile } from '../statistics.ts';

const LARGE_KEYS = 2_000;
const READERS = 12;
const UNREAD = 200;
const STEADY = { perSecond: 200, seconds: 3 };
/** Until the readers have filled the server. */
const WARM_UP_MS = 1_000;
/** Less than the 30 seconds after which the server closes connections that read nothing. */
const UNREAD_MS = 15_000;
const SAMPLE_MS = 100;

/** Large lists of one account: what they cost another account, and what they cost unread. */
export const lists: Scenario = async (bench) => {
  const { folder } = await createDataset(LARGE_KEYS);
  enlargeKeys(folder, LARGE_KEYS);
  const turnsFile = join(folder, 'turns');
  const keyward = await startKeyward(folder, {
    nodeFlags: ['--import', program('turn-times')],
    env: { TURNS_FILE: turnsFile },
  });
  const { port, pid } = keyward;
  const { accessKey, keys } = await createAccount(keyward, 50);
  const figures = { aloneP50: [], aloneP95: [], besideP50: [], besideP95: [] } as Record<
    string,
    number[]
  >;
  const measure = async (side: 'alone' | 'beside') => {
    const latencies = await latenciesOfValidations({ port, accessKey, keys, ...STEADY });
    figures[`${side}P50`]!.push(quantile(latencies, 0.5));
    figures[`${side}P95`]!.push(quantile(latencies, 0.95));
  };
  await latenciesOfValidations({ port, accessKey, keys, ...STEADY });
  const megabytesPerSecond: number[] = [];
  await bench.takeTurns(
    [
      () => measure('alone'),
      async () => {
        const startedAt = performance.now();
        const readers = startLargePages({ port, accessKey: ACCESS_KEY, readers: READERS });
        await sleep(WARM_UP_MS);
        await measure('beside');
        const { bytes, pages, refused } = await readers.stop();
        megabytesPerSecond.push(bytes / 1e3 / (performance.now() - startedAt));
        bench.log(`${pages} pages, ${refused} refused`);
      },
    ],
    Math.min(3, bench.scale.rounds),
  );

  // Once more, because measuring the turns itself takes time from the neighbour.
  const readers = startLargePages({ port, accessKey: ACCESS_KEY, readers: READERS });
  await sleep(WARM_UP_MS);
  process.kill(pid, 'SIGUSR2');
  await sleep(STEADY.seconds * 1_000);
  process.kill(pid, 'SIGUSR2');
  await readers.stop();
  const turns = JSON.parse(readFileSync(turnsFile, 'utf8')) as number[];

  const before = rssMb(pid);
  const unread = await startUnreadResponses({ port, accessKey: ACCESS_KEY, connections: UNREAD });
  let peak = before;
  for (let elapsed = 0; elapsed < UNREAD_MS; elapsed += SAMPLE_MS) {
    await sleep(SAMPLE_MS);
    peak = Math.max(peak, rssMb(pid));
  }
  unread.stop();
  return [
    row('validations of a neighbour, p50', 'ms', figures.aloneP50!),
    row('validations of a neighbour, p95', 'ms', figures.aloneP95!),
    row(`the same beside ${READERS} readers of large pages, p50`, 'ms', figures.besideP50!),
    row(`the same beside ${READERS} readers of large pages, p95`, 'ms', figures.besideP95!, {
      atMost: 25,
    }),
    row('CPU of a turn of the event loop beside them, p95', 'ms', quantile(turns, 0.95), {
      atMost: 10,
    }),
    row('large pages read', 'MB/s', megabytesPerSecond),
    row('RSS', 'MB', before),
    row(`RSS added by ${UNREAD} large lists that nobody reads, at most`, 'MB', peak - before, {
      atMost: 300,
    }),
  ];
};
