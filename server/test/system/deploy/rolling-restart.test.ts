import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { BOOTSTRAP_KEY, ChildServer } from '../../harness/child-server.ts';
import { freePort } from '../../harness/free-port.ts';
import { freshPostgres } from '../../harness/postgres/postgres.ts';
import { figure, scaled, timeoutMs } from '../../harness/scale.ts';
import { createTestClient } from '../../harness/test-client.ts';
import { BALANCERS, startBalancer } from './balancers.ts';
import { ValidationLoad } from './validation-load.ts';

const ROUNDS = scaled(10, 1);
const REQUESTS_MIN = scaled(20_000, 0);
/** The full run shows the default; a busy machine of a quick run may notice later that a node drains. */
const DRAIN_SECONDS = scaled(3, 6);

const folder = mkdtempSync(join(tmpdir(), 'keyward-rolling-restart-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Three nodes on one database, each with a port that it keeps. */
async function startNodes(databaseUrl: string) {
  const start = (port: number) =>
    new ChildServer({
      dataDir: join(folder, `${port}`),
      env: {
        PORT: String(port),
        KEYWARD_DATABASE_URL: databaseUrl,
        KEYWARD_SECRET: 'a root secret that every node of the cluster has',
        KEYWARD_BOOTSTRAP_ACCESS_KEY: BOOTSTRAP_KEY,
        KEYWARD_RATE_LIMITS: 'per-node',
        KEYWARD_DRAIN_SECONDS: String(DRAIN_SECONDS),
        KEYWARD_LOG_LEVEL: 'warn',
      },
    }).ready();
  const ports = [await freePort(), await freePort(), await freePort()];
  const nodes: ChildServer[] = [];
  for (const port of ports) nodes.push(await start(port));
  return {
    nodes,
    addresses: ports.map((port) => `127.0.0.1:${port}`),
    async restart(n: number) {
      expect(await nodes[n]!.end('SIGTERM')).toEqual({ code: 0, signal: null });
      nodes[n] = await start(ports[n]!);
    },
  };
}

it.each(BALANCERS)(
  'no validation fails while nodes behind %s are restarted one after the other',
  {
    timeout: timeoutMs,
  },
  async (name) => {
    const database = await freshPostgres();
    const { nodes, addresses, restart } = await startNodes(database.url);
    onTestFinished(async () => {
      await Promise.all(nodes.map((node) => node.end('SIGKILL')));
      await database.dispose();
    });
    const balancer = await startBalancer(name, addresses, join(folder, name));
    onTestFinished(() => balancer.stop());
    const client = createTestClient(balancer.url, BOOTSTRAP_KEY);
    const { key } = (await client.post('/api-keys', { name: 'Key' })).body;
    const load = new ValidationLoad({ url: balancer.url, accessKey: BOOTSTRAP_KEY, key });
    await load.more(100);
    for (let round = 0; round < ROUNDS; round++)
      for (const n of [0, 1, 2]) {
        await restart(n);
        await load.more(100);
      }
    await load.more(Math.max(0, REQUESTS_MIN - load.requests));
    await load.stop();
    console.log(
      `${name}: ${load.failures.length} of ${figure(load.requests)} validations failed over ${ROUNDS} rolling restarts of three nodes`,
    );
    expect(load.failures).toEqual([]);
  },
);
