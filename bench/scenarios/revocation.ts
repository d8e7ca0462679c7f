import { removeFolder, temporaryFolder } from '../children.ts';
import { sharedBacking } from '../cluster-backing.ts';
import { writeKeys } from '../keys-file.ts';
import { ACCESS_KEY, type RunningServer, startServer } from '../keyward-server.ts';
import { Lane } from '../lane.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { seedPostgres } from '../seed-postgres.ts';
import { median, quantile } from '../statistics.ts';

/** Keys that are validated all the while, on the node that must hear of the revocations. */
const LOADED_KEYS = 2_000;
const LOAD_CONNECTIONS = 8;
const LOAD_SECONDS = 1;
/** Nobody revokes faster than their management limit. */
const NO_LIMIT = { KEYWARD_MANAGEMENT_LIMIT: '1000000' };

/** From the answer to a revocation on one node to its first refusal by another, under load. */
export const revocation: Scenario = async (bench) => {
  const { revocations, pairs } = bench.scale;
  // In rounds, of which a slow machine does fewer.
  const trials = Math.floor(revocations / pairs.most);
  const folder = temporaryFolder();
  const backing = await sharedBacking();
  const nodes: RunningServer[] = [];
  let isOver = false;
  try {
    for (const _ of ['a', 'b'])
      nodes.push(await startServer(temporaryFolder(), { env: { ...backing.env, ...NO_LIMIT } }));
    const [a, b] = nodes as [RunningServer, RunningServer];
    const keys = await seedPostgres(backing.databaseUrl, LOADED_KEYS + trials * pairs.most);
    const keysFile = writeKeys(folder, 'keys', keys.slice(0, LOADED_KEYS));
    const load = loadUntil(() => isOver, b, keysFile);
    const times: number[] = [];
    for (const round of bench.rounds('pairs')) {
      const first = LOADED_KEYS + round * trials;
      for (const key of keys.slice(first, first + trials))
        times.push(await revokeAndWait(a, b, key));
    }
    isOver = true;
    const requests = await load;
    return [
      row('revocation: heard by another node, p99', 'ms', quantile(times, 0.99), { atMost: 200 }),
      row('revocation: the slowest', 'ms', Math.max(...times), { atMost: 1_000 }),
      row('revocation: the median', 'ms', median(times)),
      row('revocation: trials', '', times.length),
      row('revocation: validations beside them', '', requests),
    ];
  } finally {
    isOver = true;
    await Promise.all(nodes.map((node) => node.stop()));
    removeFolder(folder);
  }
};

async function loadUntil(
  isOver: () => boolean,
  { port, pid }: RunningServer,
  keysFile: string,
): Promise<number> {
  const lane = new Lane({ port, pids: [pid], keysFile, connections: LOAD_CONNECTIONS, pauseMs: 0 });
  while (!isOver()) await lane.drive(LOAD_SECONDS);
  return lane.asked;
}
async function revokeAndWait(a: RunningServer, b: RunningServer, key: string): Promise<number> {
  if ((await call(b, 'POST', `/api-keys/auth/${key}`)) !== 200)
    throw new Error('A key that was not revoked is refused.');
  if ((await call(a, 'DELETE', `/api-keys/${key}`)) !== 200)
    throw new Error('A key could not be revoked.');
  const revokedAt = performance.now();
  while ((await call(b, 'POST', `/api-keys/auth/${key}`)) === 200);
  return performance.now() - revokedAt;
}

async function call({ port }: RunningServer, method: string, path: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'x-api-key': ACCESS_KEY },
  });
  await answer.arrayBuffer();
  return answer.status;
}
