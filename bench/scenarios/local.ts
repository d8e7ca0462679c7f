import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, moveChild, SERVER_CORE, startChild, stopChild } from '../children.ts';
import { type Dataset, freshDataset } from '../dataset.ts';
import { type RunningServer, startServer } from '../keyward-server.ts';
import { Lane, perSecond } from '../lane.ts';
import { untilIdle } from '../process-figures.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { ratiosOf } from '../statistics.ts';
import { TalkingChild } from '../talking-child.ts';
import { takeTurns } from '../turns.ts';

const CLIENT = fileURLToPath(new URL('../peers/local-client.ts', import.meta.url));
/** Keys with a limit that one process uses all the time, and so leases ahead. */
const HOT_KEYS = 100;
const BYTES_MAX = 1024;
/** What was validated here is reported, hundreds of thousands at a time: not on the account of asking. */
const SETTLE_MS = 3_000;

type Kind = 'bare' | 'free' | 'limited' | 'asked';

/** Validation inside the caller's process, against a bare loop of hashes and against asking us. */
export const local: Scenario = async (bench) => {
  const { stretchSeconds, cachedKeys } = bench.scale;
  // Every other key is limited: as many without a limit as the row promises.
  const dataset = await freshDataset(2 * cachedKeys);
  const server = await startServer(dataset.folder, {
    env: { KEYWARD_MANAGEMENT_LIMIT: '1000000000' },
  });
  const files = writeKeys(dataset);
  const client = startClient(server, files);
  try {
    bench.say('learning');
    const { bytesPerKey, remembered } = await client.hear<{
      bytesPerKey: number;
      remembered: number;
    }>();
    const rates: Record<Kind | 'served', number[]> = {
      bare: [],
      free: [],
      limited: [],
      asked: [],
      served: [],
    };
    const measure = async (kind: Kind): Promise<number> => {
      const { perSecond } = await client.ask<{ perSecond: number }>(`${kind} ${stretchSeconds}`);
      return perSecond;
    };
    const asking = async (): Promise<number> => {
      await untilIdle(server.pid, SETTLE_MS);
      moveChild(client.child, SERVER_CORE);
      try {
        return await measure('asked');
      } finally {
        moveChild(client.child, LOAD_CORE);
      }
    };
    const serving = new Lane({ port: server.port, pids: [server.pid], keysFile: files.free });
    for (const kind of ['bare', 'free', 'limited'] as const) await measure(kind);
    // Once round: what is used for the first time is told of, which costs more than the use.
    await serving.warmUp(stretchSeconds, cachedKeys);
    await asking();
    await takeTurns(bench.rounds(), [
      ...(['bare', 'free', 'limited'] as const).map(
        (kind) => async () => rates[kind].push(await measure(kind)),
      ),
      async () => rates.asked.push(await asking()),
      async () => {
        await untilIdle(server.pid, SETTLE_MS);
        rates.served.push(perSecond(await serving.drive(stretchSeconds)));
      },
    ]);
    return [
      row('local: validations of a bare loop', '×', ratiosOf(rates.free, rates.bare), {
        atLeast: 0.6,
      }),
      row('local: of asking over HTTP, on one core', '×', ratiosOf(rates.free, rates.asked), {
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
      row('  asked over HTTP, client and server on one core', '/s', rates.asked),
      row('  server alone on its core, load on another', '/s', rates.served),
      row('  local against that', '×', ratiosOf(rates.free, rates.served)),
    ];
  } finally {
    await stopChild(client.child);
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

function startClient(server: RunningServer, { free, limited }: KeyFiles): TalkingChild {
  const args = ['--expose-gc', CLIENT, `http://127.0.0.1:${server.port}`, free, limited];
  return new TalkingChild(startChild(process.execPath, args, { core: LOAD_CORE, talks: true }));
}
