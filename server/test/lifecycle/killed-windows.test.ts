import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../harness/child-server.ts';
import { createTestClient, type TestClient } from '../harness/test-client.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'keyward-killed-'));
let server: ChildServer;

afterAll(async () => {
  await server.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<TestClient> {
  server = await startServer({ dataDir });
  return createTestClient(server.url, BOOTSTRAP_KEY);
}

function savedCounts(): unknown[] {
  const database = new DatabaseSync(join(dataDir, 'keyward.db'), { readOnly: true });
  try {
    return database
      .prepare('SELECT consumed FROM rate_windows')
      .all()
      .map((row) => row.consumed);
  } finally {
    database.close();
  }
}

it('remembers a monthly limit when the server is killed, more than once', async () => {
  let client = await start();
  const limits = [{ name: 'month', rateLimit: 4, rateLimitTtl: 30 * 86_400 }];
  const { key } = (await client.post('/api-keys', { name: 'monthly', limits })).body;
  const validate = async () => (await client.post(`/api-keys/auth/${key}`)).status;
  for (const used of [1, 2, 3]) {
    expect(await validate()).toBe(200);
    await expect.poll(savedCounts, { timeout: 60_000 }).toEqual([used]);
    await server.end('SIGKILL');
    client = await start();
  }
  expect([await validate(), await validate()]).toEqual([200, 429]);
});
