import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, startServer } from '../harness/child-server.ts';
import { createTestClient } from '../harness/test-client.ts';

const ENTRY = fileURLToPath(new URL('../../bin/keyward.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'keyward-older-node-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('runs on a Node without Temporal, such as 24', async () => {
  const executable = join(folder, 'keyward');
  const command = `exec ${process.execPath} --no-harmony-temporal ${ENTRY} "$@"`;
  writeFileSync(executable, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  const server = await startServer({
    dataDir: join(folder, 'data'),
    executable,
    env: { KEYWARD_BOOTSTRAP_ACCESS_KEY: BOOTSTRAP_KEY },
  });
  const client = createTestClient(server.url, BOOTSTRAP_KEY);
  const refill = { amount: 10, interval: 'month', timezone: 'Europe/Berlin' };
  const created = await client.post('/api-keys', { name: 'Refilled', credits: { refill } });
  expect(created.status, created.text).toBe(201);
  expect(created.body.credits.nextRefillAt).toMatch(/T2[23]:00:00.000Z$/);
  const usage = await client.get(
    '/analytics/usage?groupBy=outcome&interval=day&timezone=America/New_York',
  );
  expect(usage.status, usage.text).toBe(200);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});
