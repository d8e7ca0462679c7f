import { startBackends } from '../cluster.ts';
import { createDataset, seedPostgres } from '../dataset.ts';
import { type Keyward, startKeyward } from '../keyward.ts';
import { Load, writeValidations } from '../load.ts';
import { createFolder } from '../processes.ts';
import { row } from '../report.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { ratios } from '../statistics.ts';

const KEYS_MAX = 20_000;

/** Keys on a node of a cluster and on an embedded server. Either all of them have a rate limit, or none. */
async function compareCluster(bench: Bench, isLimited: boolean) {
  const { cachedKeys, turnSeconds } = bench.scale;
  const count = Math.min(cachedKeys, KEYS_MAX);
  const { databaseUrl, env } = await startBackends();
  const node = await startKeyward(createFolder(), { env });
  const nodeKeys = await seedPostgres(databaseUrl, count);
  const { folder, keys } = await createDataset(count);
  const embedded = await startKeyward(folder);
  const createLoad = (server: Keyward, all: readonly string[]): Load => {
    const some = all.filter((_, n) => (n % 2 === 0) === isLimited);
    const requestsFile = writeValidations(server.folder, 'validations', some);
    return new Load({ port: server.port, pid: server.pid, requestsFile });
  };
  const sides = { embedded: createLoad(embedded, keys), node: createLoad(node, nodeKeys) };
  const loads = Object.values(sides);
  // Each load has half of the keys, so this is two passes: the second lets the compiler see cache hits.
  for (const load of loads) await load.runRequests(count);
  await bench.takeTurns(loads.map((load) => () => load.measure(turnSeconds)));
  const [cpu, nodeCpu] = loads.map((load) => load.values('cpuMicrosPerRequest'));
  return { ...sides, compared: ratios(cpu!, nodeCpu!) };
}

/** A node with rate limits in Redis, compared with an embedded server that counts in memory. */
export const limited: Scenario = async (bench) => {
  const { embedded, node, compared } = await compareCluster(bench, true);
  return [
    row(
      'rate-limited validations per CPU second, through Redis compared with embedded',
      '×',
      compared,
      { atLeast: 0.5 },
    ),
    row(
      'rate-limited through Redis: p99 compared with embedded',
      '×',
      ratios(node.values('p99Ms'), embedded.values('p99Ms')),
    ),
    row('rate-limited through Redis', 'requests/s', node.values('perSecond')),
  ];
};

/** Keys without a limit, which need nothing from the other parts of the cluster. */
export const unlimited: Scenario = async (bench) => {
  const { compared } = await compareCluster(bench, false);
  return [
    row(
      'validations without a limit per CPU second, cluster compared with embedded',
      '×',
      compared,
      { atLeast: 0.9 },
    ),
  ];
};
