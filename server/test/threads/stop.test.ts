import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createTestClient } from '../harness/test-client.ts';
import { BOOTSTRAP_KEY, ChildServer, freePort, startServer } from '../lifecycle/child-server.ts';

const folders: string[] = [];
const servers: ChildServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.end('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-threads-'));
  folders.push(folder);
  return folder;
}

async function start(dataDir: string) {
  const server = await startServer({ dataDir, env: { KEYWARD_THREADS: '3' } });
  servers.push(server);
  return { server, client: createTestClient(server.url, BOOTSTRAP_KEY) };
}

/** On one connection, so that all of them come to the same thread. */
async function validateUntilRefused(url: string, key: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { 'x-api-key': BOOTSTRAP_KEY };
  const once = () =>
    new Promise<boolean>((resolve) => {
      request(`${url}/api-keys/auth/${key}`, { method: 'POST', agent, headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode === 200));
      })
        .on('error', () => resolve(false))
        .end();
    });
  let accepted = 0;
  while (await once()) accepted++;
  agent.destroy();
  return accepted;
}

it('a stop loses no use and no window, on whichever thread they were', async () => {
  const dataDir = freshFolder();
  const { server, client } = await start(dataDir);
  const { key, id } = (await client.post('/api-keys', { name: 'busy' })).body;
  const rateLimitConfigs = { rateLimit: 12, rateLimitTtl: 3600 };
  const limited = (await client.post('/api-keys', { name: 'limited', rateLimitConfigs })).body;
  for (let n = 0; n < 8; n++) await client.post(`/api-keys/auth/${limited.key}`);
  const busy = Array.from({ length: 12 }, () => validateUntilRefused(server.url, key));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  const accepted = (await Promise.all(busy)).reduce((sum, each) => sum + each, 0);
  expect(accepted).toBeGreaterThan(0);

  const again = await start(dataDir);
  const totals = await again.client.get(`/analytics/api-key-totals?key=${id}`);
  expect(totals.body[0].valid).toBe(accepted);
  const { headers } = await again.client.post(`/api-keys/auth/${limited.key}`);
  expect(headers.get('ratelimit-consumed')).toBe('9');
});

it('is ready when all of it is there: whoever is stopped from then on stops in order', async () => {
  const port = await freePort();
  const env = { PORT: String(port), KEYWARD_THREADS: '3' };
  const server = new ChildServer({ dataDir: freshFolder(), env });
  servers.push(server);
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(server.stdout).toContain('is ready at');
});
