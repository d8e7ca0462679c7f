import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Dataset, freshDataset } from '../dataset.ts';
import { ACCESS_KEY, type RunningServer, startServer } from '../keyward-server.ts';
import { loadGenerator } from '../load/index.ts';
import { cpuSeconds } from '../process-figures.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';

const UNCOUNTED = fileURLToPath(new URL('../peers/uncounted.ts', import.meta.url));
const CONNECTIONS = 64;
/** Longer than a flush, so that what one side left behind does not run in the other's time. */
const PAUSE_MS = 400;
/** Short turns: the difference is small, and a machine that wanders slows both halves of one. */
const TURN_SECONDS = 1;
const TURNS_PER_ROUND = 3;

interface Side {
  readonly server: RunningServer;
  readonly dataset: Dataset;
  firstKey: number;
}

interface Stretch {
  readonly perSecond: number;
  readonly cpuPerMillion: number;
}

/** What counting costs: the same server on the same keys, with its tally and deaf to it. */
export const usageTally: Scenario = async (bench) => {
  const { cachedKeys, rounds, roundSeconds } = bench.scale;
  const counted = await startSide(cachedKeys, []);
  const uncounted = await startSide(cachedKeys, ['--import', UNCOUNTED]);
  try {
    bench.say('warming up');
    for (const side of [counted, uncounted])
      while (side.firstKey < 2 * cachedKeys) await drive(side, roundSeconds);
    const on: Stretch[] = [];
    const off: Stretch[] = [];
    for (let turn = 0; turn < TURNS_PER_ROUND * rounds; turn++) {
      if (turn % 2 === 0) on.push(await drive(counted, TURN_SECONDS));
      off.push(await drive(uncounted, TURN_SECONDS));
      if (turn % 2 === 1) on.push(await drive(counted, TURN_SECONDS));
    }
    const speed = ({ perSecond }: Stretch) => perSecond;
    const cpu = ({ cpuPerMillion }: Stretch) => cpuPerMillion;
    return [
      row('usage-tally: speed against no tally', '×', ratiosOf(on.map(speed), off.map(speed)), {
        atLeast: 0.95,
      }),
      row('usage-tally: requests', 'req/s', on.map(speed)),
      row('  without a tally: requests', 'req/s', off.map(speed)),
      row('usage-tally: CPU per million', 's', on.map(cpu)),
      row('  without a tally: CPU per million', 's', off.map(cpu)),
    ];
  } finally {
    for (const { server, dataset } of [counted, uncounted]) {
      await server.stop();
      dataset.remove();
    }
  }
};

async function startSide(keys: number, flags: readonly string[]): Promise<Side> {
  const dataset = await freshDataset(keys);
  writeFileSync(join(dataset.folder, 'keys.txt'), `${dataset.keys.join('\n')}\n`);
  return { server: await startServer(dataset.folder, flags), dataset, firstKey: 0 };
}

async function drive(side: Side, seconds: number): Promise<Stretch> {
  const before = cpuSeconds(side.server.pid);
  const result = await loadGenerator().drive({
    port: side.server.port,
    keysFile: join(side.dataset.folder, 'keys.txt'),
    firstKey: side.firstKey,
    accessKey: ACCESS_KEY,
    seconds,
    connections: CONNECTIONS,
  });
  if (result.failures > 0) throw new Error(`${result.failures} requests failed under load.`);
  side.firstKey += result.requests;
  await sleep(PAUSE_MS);
  const spent = cpuSeconds(side.server.pid).whole - before.whole;
  return {
    perSecond: result.requests / result.seconds,
    cpuPerMillion: (spent / result.requests) * 1e6,
  };
}
