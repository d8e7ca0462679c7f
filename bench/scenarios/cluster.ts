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

/** The same code on PostgreSQL and Redis against itself with its own database, key by key. */
export const cluster: Scenario = async (bench) => {
  const { sharedKeys, stretchSeconds } = bench.scale;
  const folder = temporaryFolder();
  const dataset = await freshDataset(sharedKeys);
  const embedded = await startServer(dataset.folder);
  const backing = await sharedBacking();
  const node = await startServer(folder, { env: backing.env });
  try {
    const keys = await seedPostgres(backing.databaseUrl, sharedKeys);
    const isFree = (_: string, n: number) => n % 2 === 1;
    const lane = ({ port, pid }: RunningServer, name: string, some: readonly string[]) =>
      new Lane({ port, pids: [pid], keysFile: writeKeys(folder, name, some) });
    const alone = lane(embedded, 'alone', dataset.keys.filter(isFree));
    const free = lane(node, 'free', keys.filter(isFree));
    const limited = lane(
      node,
      'limited',
      keys.filter((_, n) => n % 2 === 0),
    );
    const lanes = [free, alone, limited];
    bench.say('warming up');
    // Twice round: the first fills the cache, the second lets the compiler see hits.
    for (const each of lanes) await each.warmUp(2 * stretchSeconds, sharedKeys);
    await takeTurns(
      bench.rounds('pairs'),
      lanes.map((each) => () => each.measure(stretchSeconds)),
    );
    const speeds = (each: Lane) => each.figures(perSecond);
    return [
      estimate(
        'cluster: keys without limit against embedded',
        ratiosOf(speeds(free), speeds(alone)),
        { atLeast: 0.95 },
      ),
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
