import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findOnPath } from '../../../scripts/test-tools.ts';
import { freePort } from '../harness/free-port.ts';
import { createTestClient } from '../harness/test-client.ts';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../lifecycle/child-server.ts';

const CONFIG = fileURLToPath(new URL('../../../deploy/haproxy.cfg', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'keyward-balancer-'));
const REQUESTS = 200;

let nodes: ChildServer[];
let balancer: ChildProcess;
let url: string;

beforeAll(async () => {
  nodes = await Promise.all(
    ['one', 'two'].map((name) =>
      startServer({
        dataDir: join(folder, name),
        env: { KEYWARD_TRUSTED_PROXIES: '127.0.0.0/8' },
      }),
    ),
  );
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const program = process.env.HAPROXY_PATH ?? findOnPath(['haproxy']);
  if (program === null) throw new Error('haproxy is not on PATH; see scripts/test-tools.ts');
  // A node on a busy machine may take longer than a second for a check. A stopped one refuses it at once.
  const patient = join(folder, 'haproxy.cfg');
  const checks = 'timeout queue 2s\n  timeout check 60s\n';
  writeFileSync(patient, readFileSync(CONFIG, 'utf8').replace('timeout queue 2s\n', checks));
  balancer = spawn(program, ['-db', '-f', patient], {
    env: {
      LISTEN: `127.0.0.1:${port}`,
      NODE_1: nodes[0]!.url.slice('http://'.length),
      NODE_2: nodes[1]!.url.slice('http://'.length),
      // A node that never starts.
      NODE_3: `127.0.0.1:${await freePort()}`,
    },
    stdio: 'ignore',
  });
  const ended = once(balancer, 'exit').then(([code]) => {
    throw new Error(`haproxy exited with ${code}`);
  });
  ended.catch(() => {});
  while ((await Promise.race([statusOf('/readyz'), ended])) !== 200) await wait(50);
});
afterAll(async () => {
  balancer.kill('SIGKILL');
  await Promise.all(nodes.map((node) => node.end('SIGKILL')));
  rmSync(folder, { recursive: true });
});

const statusOf = (path: string): Promise<number> =>
  fetch(url + path).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );

it('no read fails while a node stops', async () => {
  const requests = Array.from({ length: REQUESTS }, async (_, n) => {
    await wait(n * 10);
    return statusOf('/readyz');
  });
  await wait((REQUESTS / 3) * 10);
  await nodes[0]!.end('SIGTERM');
  const statuses = new Set(await Promise.all(requests));
  expect([...statuses]).toEqual([200]);
});

it('ignores the client address that a client sends itself', async () => {
  const client = createTestClient(url, BOOTSTRAP_KEY);
  const forged = { 'x-forwarded-for': '203.0.113.9' };
  expect((await client.post('/api-keys', { name: 'Made' }, forged)).status).toBe(201);
  const [row] = (await client.get('/audit-logs?action=api-key.created')).body;
  expect(row.clientAddress).toBe('127.0.0.1');
});
