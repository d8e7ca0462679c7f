import { removeFolder, temporaryFolder } from '../children.ts';
import { sharedBacking } from '../cluster-backing.ts';
import { freshDataset } from '../dataset.ts';
import { writeKeys } from '../keys-file.ts';
import { type RunningServer, startServer } from '../keyward-server.ts';
import { cpuPerMillion, Lane, p99, perSecond } from '../lane.ts';
import { estimate, row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { seedPostgres } from '../seed-postgres.ts';
import { ratiosOf } from '../statistics.ts';
import { takeTurns } from '../turns.ts';

const isFree = (n: number): boolean => n % 2 === 1;

/** Of a kind: each process compiles the same code in its own way, which is worth some per cent. */
const two = async <T>(make: (n: 0 | 1) => T | Promise<T>): Promise<[T, T]> => [
  await make(0),
  await make(1),
];

/** Of a stretch: short, so that neighbours see the same machine. */
const TURN_SHARE = 0.75;

/**
 * The same code on PostgreSQL and Redis against itself with its own database, key by key and all by
 * turns: at the same time on one core, what a process does at rest would count as often as there are
 * processes. For keys without a limit, where they hardly differ, the CPU of two of either is weighed.
 */
export const cluster: Scenario = async (bench) => {
  const { stretchSeconds } = bench.scale;
  const count = bench.scale.sharedKeys / 2;
  const backing = await sharedBacking();
  const datasets = await two(() => freshDataset(count));
  const embedded = await two((n) => startServer(datasets[n].folder));
  const folders = await two(temporaryFolder);
  const nodes = await two((n) => startServer(folders[n], { env: backing.env }));
  try {
    const keys = await seedPostgres(backing.databaseUrl, count);
    const lane = ({ port, pid }: RunningServer, name: string, some: readonly string[]) =>
      new Lane({ port, pids: [pid], keysFile: writeKeys(folders[0], name, some) });
    const freeKeys = keys.filter((_, n) => isFree(n));
    const aloneKeys = datasets[0].keys.filter((_, n) => isFree(n));
    const limitedKeys = keys.filter((_, n) => !isFree(n));
    const free = await two((n) => lane(nodes[n], 'free', freeKeys));
    const alone = await two((n) => lane(embedded[n], 'alone', aloneKeys));
    const limited = lane(nodes[0], 'limited', limitedKeys);
    // Whoever is compared stands next to one another.
    const lanes = [limited, free[0], alone[0], alone[1], free[1]];
    bench.say('warming up');
    // Twice round: the first fills the cache, the second lets the compiler see hits.
    for (const each of lanes) await each.warmUp(2 * stretchSeconds, count);
    await takeTurns(
      bench.rounds('pairs'),
      lanes.map((each) => () => each.measure(TURN_SHARE * stretchSeconds)),
    );
    const speeds = (each: Lane) => each.figures(perSecond);
    return [
      // Embedded first: whoever costs less is faster.
      estimate(
        'cluster: keys without limit against embedded',
        ratiosOf(costs(alone), costs(free)),
        { atLeast: 0.95 },
      ),
      estimate('  by their speeds', ratiosOf(speeds(free[0]), speeds(alone[0]))),
      estimate(
        'cluster: keys with limit, through Redis',
        ratiosOf(speeds(limited), speeds(alone[0])),
        { atLeast: 0.5 },
      ),
      estimate(
        'cluster: p99 with limit against without',
        ratiosOf(limited.figures(p99), free[0].figures(p99)),
        { atMost: 3 },
      ),
      row('Keyward in a cluster, keys without limit', 'req/s', speeds(free[0])),
      row('Keyward in a cluster, limits in Redis', 'req/s', speeds(limited)),
      row('cluster: CPU per million, without limit', 's', costs(free)),
      row('cluster: CPU per million, with limit', 's', limited.figures(cpuPerMillion)),
      row('  embedded: without limit', '/s', speeds(alone[0])),
    ];
  } finally {
    await Promise.all([...embedded, ...nodes].map((server) => server.stop()));
    for (const dataset of datasets) dataset.remove();
    for (const folder of folders) removeFolder(folder);
  }
};

/** CPU per million of both servers of a kind together, stretch by stretch. */
function costs([one, other]: readonly [Lane, Lane]): number[] {
  const others = other.figures(cpuPerMillion);
  return one.figures(cpuPerMillion).map((cost, n) => (cost + others[n]!) / 2);
}
