import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../../harness/child-server.ts';
import { freePort } from '../../harness/free-port.ts';
import { createTestClient } from '../../harness/test-client.ts';
import { BALANCERS, type Balancer, startBalancer } from './balancers.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyward-balancer-'));
afterAll(() => rmSync(folder, { recursive: true }));
const REQUESTS = 200;

describe.each(BALANCERS)('%s', (name) => {
  let nodes: ChildServer[];
  let balancer: Balancer;

  beforeAll(async () => {
    nodes = await Promise.all(
      ['one', 'two'].map((node) =>
        startServer({
          dataDir: join(folder, name, node),
          env: { KEYWARD_TRUSTED_PROXIES: '127.0.0.0/8' },
        }),
      ),
    );
    const addresses = nodes.map(({ url }) => url.slice('http://'.length));
    const neverStarts = `127.0.0.1:${await freePort()}`;
    balancer = await startBalancer(name, [...addresses, neverStarts], join(folder, name));
  });
  afterAll(async () => {
    await balancer.stop();
    await Promise.all(nodes.map((node) => node.end('SIGKILL')));
  });

  const statusOf = (path: string): Promise<number> =>
    fetch(balancer.url + path).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );

  it('no read fails while a node stops without a drain', async () => {
    const requests = Array.from({ length: REQUESTS }, async (_, n) => {
      await wait(n * 10);
      return statusOf('/healthz');
    });
    await wait((REQUESTS / 3) * 10);
    await nodes[0]!.end('SIGTERM');
    const statuses = new Set(await Promise.all(requests));
    expect([...statuses]).toEqual([200]);
  });

  it('ignores the client address that a client sends itself', async () => {
    const client = createTestClient(balancer.url, BOOTSTRAP_KEY);
    const forged = { 'x-forwarded-for': '203.0.113.9' };
    expect((await client.post('/api-keys', { name: 'Made' }, forged)).status).toBe(201);
    const [row] = (await client.get('/audit-logs?action=api-key.created')).body;
    expect(row.clientAddress).toBe('127.0.0.1');
  });
});
