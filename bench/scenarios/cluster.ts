import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeFolder, temporaryFolder } from '../children.ts';
import { startBacking } from '../cluster-backing.ts';
import { freshDataset } from '../dataset.ts';
import { ACCESS_KEY, type RunningServer, startServer } from '../keyward-server.ts';
import { type LoadResult, loadGenerator } from '../load/index.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { seedPostgres } from '../seed-postgres.ts';
import { ratiosOf } from '../statistics.ts';

const CONNECTIONS = 64;
/** Longer than two flushes, so that what one side left behind does not run in the other's time. */
const PAUSE_MS = 800;
const TURNS_PER_ROUND = 2;

/** One kind of key on one server, validated in rotation. */
class Lane {
  readonly #server: RunningServer;
  readonly #keysFile: string;
  #firstKey = 0;
  readonly results: LoadResult[] = [];

  constructor(server: RunningServer, folder: string, name: string, keys: readonly string[]) {
    this.#server = server;
    this.#keysFile = join(folder, `${name}.txt`);
    writeFileSync(this.#keysFile, `${keys.join('\n')}\n`);
  }

  async drive(seconds: number): Promise<LoadResult> {
    const result = await loadGenerator().drive({
      port: this.#server.port,
      keysFile: this.#keysFile,
      firstKey: this.#firstKey,
      accessKey: ACCESS_KEY,
      seconds,
      connections: CONNECTIONS,
    });
    if (result.failures > 0) throw new Error(`${result.failures} requests failed under load.`);
    this.#firstKey += result.requests;
    await sleep(PAUSE_MS);
    return result;
  }

  async measure(seconds: number): Promise<void> {
    this.results.push(await this.drive(seconds));
  }

  /** Twice round: the first fills the cache, the second lets the compiler see hits. */
  async warmUp(seconds: number, keys: number): Promise<void> {
    while (this.#firstKey < 2 * keys) await this.drive(seconds);
  }
}

const perSecond = ({ requests, seconds }: LoadResult): number => requests / seconds;
const p99 = ({ p99Ms }: LoadResult): number => p99Ms;

/** The same code on PostgreSQL and Redis against itself with its own database, key by key. */
export const cluster: Scenario = async (bench) => {
  const { cachedKeys, rounds, roundSeconds } = bench.scale;
  const count = cachedKeys / 2;
  const folder = temporaryFolder();
  const dataset = await freshDataset(cachedKeys);
  const embedded = await startServer(dataset.folder);
  const backing = await startBacking();
  const node = await startServer(folder, [], backing.env);
  try {
    const keys = await seedPostgres(backing.databaseUrl, cachedKeys);
    const limited = keys.filter((_, n) => n % 2 === 0);
    const free = keys.filter((_, n) => n % 2 === 1);
    const lanes = {
      alone: new Lane(
        embedded,
        folder,
        'alone',
        dataset.keys.filter((_, n) => n % 2 === 1),
      ),
      free: new Lane(node, folder, 'free', free),
      limited: new Lane(node, folder, 'limited', limited),
    };
    const inTurn = Object.values(lanes);
    bench.say('warming up');
    for (const lane of inTurn) await lane.warmUp(roundSeconds, count);
    for (let turn = 0; turn < TURNS_PER_ROUND * rounds; turn++)
      for (const lane of turn % 2 === 0 ? inTurn : inTurn.toReversed())
        await lane.measure(roundSeconds / TURNS_PER_ROUND);
    const speeds = (lane: Lane) => lane.results.map(perSecond);
    const tails = (lane: Lane) => lane.results.map(p99);
    const { alone } = lanes;
    return [
      row(
        'cluster: keys without limit against embedded',
        '×',
        ratiosOf(speeds(lanes.free), speeds(alone)),
        { atLeast: 0.95 },
      ),
      row(
        'cluster: keys with limit, through Redis',
        '×',
        ratiosOf(speeds(lanes.limited), speeds(alone)),
        { atLeast: 0.5 },
      ),
      row(
        'cluster: p99 with limit against without',
        '×',
        ratiosOf(tails(lanes.limited), tails(lanes.free)),
        { atMost: 3 },
      ),
      row('cluster: without limit', 'req/s', speeds(lanes.free)),
      row('cluster: with limit', 'req/s', speeds(lanes.limited)),
      row('  embedded: without limit', 'req/s', speeds(alone)),
    ];
  } finally {
    await Promise.all([embedded.stop(), node.stop()]);
    await backing.dispose();
    dataset.remove();
    removeFolder(folder);
  }
};
