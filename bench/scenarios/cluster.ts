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

/**
 * The same code on PostgreSQL and Redis against itself with its own database, key by key. For keys
 * without a limit, where they hardly differ, both answer at the same time on one core; with limits,
 * where Redis has a part, by turns.
 */
export const cluster: Scenario = async (bench) => {
  const { sharedKeys, stretchSeconds } = bench.scale;
  const folder = temporaryFolder();
  const dataset = await freshDataset(sharedKeys);
  const embedded = await startServer(dataset.folder);
  const backing = await sharedBacking();
  const node = await startServer(folder, { env: backing.env });
  try {
    const keys = await seedPostgres(backing.databaseUrl, sharedKeys);
    const lane = ({ port, pid }: RunningServer, name: string, some: readonly string[]) =>
      new Lane({ port, pids: [pid], keysFile: writeKeys(folder, name, some) });
    const freeKeys = keys.filter((_, n) => isFree(n));
    const aloneKeys = dataset.keys.filter((_, n) => isFree(n));
    const free = lane(node, 'free', freeKeys);
    const alone = lane(embedded, 'alone', aloneKeys);
    const limitedKeys = keys.filter((_, n) => !isFree(n));
    const limited = lane(node, 'limited', limitedKeys);
    const beside = [lane(node, 'free', freeKeys), lane(embedded, 'alone', aloneKeys)] as const;
    bench.say('warming up');
    // Twice round: the first fills the cache, the second lets the compiler see hits.
    for (const each of [free, alone, limited]) await each.warmUp(2 * stretchSeconds, sharedKeys);
    const byTurns = [free, alone, limited].map((each) => () => each.measure(stretchSeconds));
    const atOnce = () => Promise.all(beside.map((each) => each.measure(stretchSeconds)));
    await takeTurns(bench.rounds('pairs'), [...byTurns, atOnce]);
    const speeds = (each: Lane) => each.figures(perSecond);
    return [
      // Embedded first: whoever costs less is faster.
      estimate(
        'cluster: keys without limit against embedded',
        ratiosOf(beside[1].figures(cpuPerMillion), beside[0].figures(cpuPerMillion)),
        { atLeast: 0.95 },
      ),
      estimate('  by turns', ratiosOf(speeds(free), speeds(alone))),
      estimate(
        'cluster: keys with limit, through Redis',
        ratiosOf(speeds(limited), speeds(alone)),
        { atLeast: 0.5 },
      ),
      estimate(
        'cluster: p99 with limit against without',
        ratiosOf(limited.figures(p99), free.figures(p99)),
        { atMost: 3 },
      ),
      row('Keyward in a cluster, keys without limit', 'req/s', speeds(free)),
      row('Keyward in a cluster, limits in Redis', 'req/s', speeds(limited)),
      row('cluster: CPU per million, without limit', 's', free.figures(cpuPerMillion)),
      row('cluster: CPU per million, with limit', 's', limited.figures(cpuPerMillion)),
      row('  embedded: without limit', '/s', speeds(alone)),
    ];
  } finally {
    await Promise.all([embedded.stop(), node.stop()]);
    dataset.remove();
    removeFolder(folder);
  }
};
