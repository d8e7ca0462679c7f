// 5 s of CPU: a server process for every port that can be taken.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ChildServer } from '../harness/child-server.ts';
import { freePort } from '../harness/free-port.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'keyward-taken-port-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

it.each(['PORT', 'KEYWARD_METRICS_PORT'])(
  'a first start that fails because its %s is in use shows its access key at the next start',
  async (setting) => {
    const port = await freePort();
    const holder = createServer().listen(port, '127.0.0.1');
    const dir = join(dataDir, setting);
    const first = new ChildServer({ dataDir: dir, env: { [setting]: String(port) } });
    expect((await first.exited).code).toBe(1);
    expect(first.output).not.toContain('account_access_');
    holder.close();
    const second = await new ChildServer({ dataDir: dir }).ready();
    await second.end('SIGTERM');
    expect(second.stdout).toMatch(/access key +account_access_\w{49}\n/);
    expect(second.stdout).toMatch(/#token=\S+/);
  },
);

it('a first start that fails only when it listens shows its access key', async () => {
  const port = String(await freePort());
  // Each port is free, but the API cannot use its own after the metrics have taken it on all addresses.
  const env = { PORT: port, KEYWARD_METRICS_PORT: port, KEYWARD_METRICS_HOST: '0.0.0.0' };
  const first = new ChildServer({ dataDir: join(dataDir, 'later'), env });
  expect((await first.exited).code).toBe(1);
  expect(first.stdout).toMatch(/access key +account_access_\w{49}\n/);
  expect(first.stdout).toMatch(/#token=\S+/);
});
