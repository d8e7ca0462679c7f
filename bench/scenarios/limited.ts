import { startBackends } from '../cluster.ts';
import { createDataset, seedPostgres } from '../dataset.ts';
import { type Keyward, startKeyward } from '../keyward.ts';
import { Load, writeValidations } from '../load.ts';
import { createFolder } from '../processes.ts';
import { row } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { ratios } from '../statistics.ts';

const KEYS_MAX = 20_000;

/** A node with rate limits in Redis, compared with an embedded server that counts in memory. */
export const limited: Scenario = async (bench) => {
  const { cachedKeys, turnSeconds } = bench.scale;
  const count = Math.min(cachedKeys, KEYS_MAX);
  const { databaseUrl, env } = await startBackends();
  const node = await startKeyward(createFolder(), { env });
  const nodeKeys = await seedPostgres(databaseUrl, count);
  const { folder, keys } = await createDataset(count);
  const embedded = await startKeyward(folder);
  const createLoad = (server: Keyward, all: readonly string[], isLimited: boolean): Load => {
    const some = all.filter((_, n) => (n % 2 === 0) === isLimited);
    const name = `limited-${isLimited}`;
    const requestsFile = writeValidations(server.folder, name, some);
    return new Load({ port: server.port, pid: server.pid, requestsFile });
  };
  const sides = {
    embeddedLimited: createLoad(embedded, keys, true),
    nodeLimited: createLoad(node, nodeKeys, true),
    nodeUnlimited: createLoad(node, nodeKeys, false),
    embeddedUnlimited: createLoad(embedded, keys, false),
  };
  const targets = Object.values(sides);
  // Twice: the first pass fills the cache, the second lets the compiler see cache hits.
  for (const each of targets) await each.runRequests(count);
  await bench.takeTurns(targets.map((each) => () => each.measure(turnSeconds)));
  const cpu = (name: keyof typeof sides) => sides[name].values('cpuMicrosPerRequest');
  return [
    row(
      'rate-limited validations per CPU second, through Redis compared with embedded',
      '×',
      ratios(cpu('embeddedLimited'), cpu('nodeLimited')),
      { atLeast: 0.5 },
    ),
    row(
      'validations without a limit per CPU second, cluster compared with embedded',
      '×',
      ratios(cpu('embeddedUnlimited'), cpu('nodeUnlimited')),
      { atLeast: 0.9 },
    ),
    row(
      'rate-limited through Redis: p99 compared with embedded',
      '×',
      ratios(sides.nodeLimited.values('p99Ms'), sides.embeddedLimited.values('p99Ms')),
    ),
    row('rate-limited through Redis', 'requests/s', sides.nodeLimited.values('perSecond')),
  ];
};
