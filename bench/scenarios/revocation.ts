import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, temporaryFolder } from '../children.ts';
import { startBacking } from '../cluster-backing.ts';
import { ACCESS_KEY, type RunningServer, startServer } from '../keyward-server.ts';
import { loadGenerator } from '../load/index.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';
import { seedPostgres } from '../seed-postgres.ts';

/** Keys that are validated all the while, on the node that must hear of the revocations. */
const LOADED_KEYS = 2_000;
const LOAD_CONNECTIONS = 8;
const LOAD_SECONDS = 2;
/** Nobody revokes faster than their management limit. */
const NO_LIMIT = { KEYWARD_MANAGEMENT_LIMIT: '1000000' };

/** From the answer to a revocation on one node to its first refusal by another, under load. */
export const revocation: Scenario = async (bench) => {
  const { revocations } = bench.scale;
  const folder = temporaryFolder();
  const backing = await startBacking();
  const nodes: RunningServer[] = [];
  try {
    for (const _ of ['a', 'b'])
      nodes.push(await startServer(temporaryFolder(), [], { ...backing.env, ...NO_LIMIT }));
    const [a, b] = nodes as [RunningServer, RunningServer];
    const keys = await seedPostgres(backing.databaseUrl, LOADED_KEYS + revocations);
    const keysFile = join(folder, 'keys.txt');
    writeFileSync(keysFile, `${keys.slice(0, LOADED_KEYS).join('\n')}\n`);
    let isOver = false;
    const load = loadUntil(() => isOver, b.port, keysFile);
    const times: number[] = [];
    for (const key of keys.slice(LOADED_KEYS)) times.push(await revokeAndWait(a, b, key));
    isOver = true;
    const requests = await load;
    const sorted = times.toSorted((x, y) => x - y);
    return [
      row(
        'revocation: heard by another node, p99',
        'ms',
        sorted[Math.floor(sorted.length * 0.99)]!,
        {
          atMost: 200,
        },
      ),
      row('revocation: the slowest', 'ms', sorted.at(-1)!, { atMost: 1_000 }),
      row('revocation: the median', 'ms', sorted[Math.floor(sorted.length / 2)]!),
      row('revocation: trials', '', sorted.length),
      row('revocation: validations beside them', '', requests),
    ];
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    await backing.dispose();
    removeFolder(folder);
  }
};

async function loadUntil(isOver: () => boolean, port: number, keysFile: string): Promise<number> {
  let requests = 0;
  while (!isOver()) {
    const result = await loadGenerator().drive({
      port,
      keysFile,
      firstKey: requests,
      accessKey: ACCESS_KEY,
      seconds: LOAD_SECONDS,
      connections: LOAD_CONNECTIONS,
    });
    if (result.failures > 0) throw new Error(`${result.failures} requests failed under load.`);
    requests += result.requests;
  }
  return requests;
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
