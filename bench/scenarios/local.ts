import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, SERVER_CORE, startChild, stopChild } from '../children.ts';
import { type Dataset, freshDataset } from '../dataset.ts';
import { startServer } from '../keyward-server.ts';
import { Lane, perSecond } from '../lane.ts';
import { untilIdle } from '../process-figures.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { TalkingChild } from '../talking-child.ts';
import { takeTurns } from '../turns.ts';

const LOCAL = fileURLToPath(new URL('../peers/local-client.ts', import.meta.url));
const ASKING = fileURLToPath(new URL('../peers/asking-client.ts', import.meta.url));
/** Keys with a limit that one process uses all the time, and so leases ahead. */
const HOT_KEYS = 100;
const BYTES_MAX = 1024;
/** What was validated here is reported once a second, for every key that was used. */
const REPORTED_AFTER_MS = 1_100;
const SETTLED_WITHIN_MS = 4_000;

const HERE = ['bare', 'free', 'limited'] as const;

interface Asked {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

/** Validation inside the caller's process, against a bare loop of hashes and against asking us. */
export const local: Scenario = async (bench) => {
  const { stretchSeconds, cachedKeys } = bench.scale;
  const dataset = await freshDataset(cachedKeys);
  const server = await startServer(dataset.folder, {
    env: { KEYWARD_MANAGEMENT_LIMIT: '1000000000' },
  });
  const files = writeKeys(dataset);
  const url = `http://127.0.0.1:${server.port}`;
  const client = startPeer(LOAD_CORE, ['--expose-gc', LOCAL, url, files.free, files.limited]);
  const asker = startPeer(SERVER_CORE, [ASKING, url, files.free]);
  try {
    bench.say('learning');
    const { bytesPerKey, remembered } = await client.hear<{
      bytesPerKey: number;
      remembered: number;
    }>();
    const rates = { bare: [], free: [], limited: [], served: [] } as Record<
      (typeof HERE)[number] | 'served',
      number[]
    >;
    const asked: Asked[] = [];
    let isReported = true;
    const measure = async (kind: (typeof HERE)[number]): Promise<number> => {
      isReported = false;
      const { perSecond } = await client.ask<{ perSecond: number }>(`${kind} ${stretchSeconds}`);
      return perSecond;
    };
    // Hundreds of thousands of uses are not reported on the account of asking.
    const settle = async (): Promise<void> => {
      if (isReported) return;
      await sleep(REPORTED_AFTER_MS);
      await untilIdle(server.pid, SETTLED_WITHIN_MS);
      isReported = true;
    };
    const asking = async (): Promise<Asked> => {
      await settle();
      return asker.ask<Asked>(String(stretchSeconds));
    };
    const serving = new Lane({ port: server.port, pids: [server.pid], keysFile: files.free });
    bench.say('warming up');
    for (const kind of HERE) await measure(kind);
    // Once round: what is used for the first time is told of, which costs more than the use.
    await serving.warmUp(stretchSeconds, cachedKeys / 2);
    await asking();
    bench.say('rounds');
    await takeTurns(bench.rounds(), [
      ...HERE.map((kind) => async () => rates[kind].push(await measure(kind))),
      async () => asked.push(await asking()),
      async () => {
        await settle();
        rates.served.push(perSecond(await serving.drive(stretchSeconds)));
      },
    ]);
    const askedRates = asked.map((each) => each.perSecond);
    return [
      row('local: validations of a bare loop', '×', ratiosOf(rates.free, rates.bare), {
        atLeast: 0.6,
      }),
      row('local: of asking over HTTP, on one core', '×', ratiosOf(rates.free, askedRates), {
        atLeast: 20,
      }),
      row(`local: with leases, ${HOT_KEYS} hot keys`, '×', ratiosOf(rates.limited, rates.free), {
        atLeast: 0.5,
      }),
      row('local: memory of a remembered key', 'bytes', bytesPerKey, { atMost: BYTES_MAX }),
      row('local: keys remembered', '', remembered),
      row('local: validations', '/s', rates.free),
      row('local: validations with leases', '/s', rates.limited),
      row('  bare loop', '/s', rates.bare),
      row('  asked over HTTP, client and server on one core', '/s', askedRates),
      row(
        '  asked over HTTP: CPU of the client for one',
        'µs',
        asked.map(({ cpuMicros }) => cpuMicros),
      ),
      row('  server alone on its core, load on another', '/s', rates.served),
      row('  local against that', '×', ratiosOf(rates.free, rates.served)),
    ];
  } finally {
    await Promise.all([client, asker].map(({ child }) => stopChild(child)));
    await server.stop();
    dataset.remove();
  }
};

interface KeyFiles {
  readonly free: string;
  readonly limited: string;
}

function writeKeys({ folder, keys }: Dataset): KeyFiles {
  const files = { free: join(folder, 'free.txt'), limited: join(folder, 'limited.txt') };
  const isLimited = (n: number) => n % 2 === 0;
  writeFileSync(files.free, keys.filter((_, n) => !isLimited(n)).join('\n'));
  const hot = keys.filter((_, n) => isLimited(n)).slice(0, HOT_KEYS);
  writeFileSync(files.limited, hot.join('\n'));
  return files;
}

const startPeer = (core: number, args: readonly string[]): TalkingChild =>
  new TalkingChild(startChild(process.execPath, args, { core, talks: true }));
