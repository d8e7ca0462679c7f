import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { ChildServer } from '../harness/child-server.ts';
import { freePort } from '../harness/free-port.ts';

const parent = mkdtempSync(join(tmpdir(), 'keyward-refused-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

async function refusedStart(env: Record<string, string>, dataDir = join(parent, 'data')) {
  const server = new ChildServer({ dataDir, env });
  expect(await server.exited).toEqual({ code: 1, signal: null });
  return server.output;
}

it('a file in place of the data directory', async () => {
  const file = join(parent, 'file');
  writeFileSync(file, '');
  const remedy = 'Correct that, or choose another with KEYWARD_DATA_DIR.\n';
  for (const path of [file, join(file, 'inside')])
    expect(await refusedStart({}, path)).toBe(
      `keyward: The data directory ${path} is not a directory. ${remedy}`,
    );
});

it('an address of another machine, and an unknown host name', async () => {
  const remedy = 'Set HOST to an address of this machine, such as 127.0.0.1.\n';
  expect(await refusedStart({ HOST: '203.0.113.1', PORT: String(await freePort()) })).toBe(
    `keyward: 203.0.113.1 is not an address of this machine. ${remedy}`,
  );
  expect(await refusedStart({ HOST: 'nowhere.invalid', PORT: String(await freePort()) })).toMatch(
    /^keyward: nowhere\.invalid cannot be resolved( now)?\. Set HOST to .*\n$/,
  );
  const metrics = {
    KEYWARD_METRICS_HOST: '203.0.113.1',
    KEYWARD_METRICS_PORT: String(await freePort()),
  };
  expect(await refusedStart(metrics)).toMatch(/ Set KEYWARD_METRICS_HOST to .*\n$/);
});

it('a port in use', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  const output = await refusedStart({ PORT: String(port) });
  holder.close();
  expect(output).toBe(
    `keyward: 127.0.0.1:${port} is in use by another process. Choose another port with PORT.\n`,
  );
});

it('a Node that is too old', () => {
  const bin = fileURLToPath(new URL('../../bin/keyward.mjs', import.meta.url));
  const old = "Object.defineProperty(process, 'versions', { value: { node: '22.9.0' } })";
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(old)}`, bin, 'serve'],
    { encoding: 'utf8', env: { PATH: process.env.PATH, KEYWARD_DATA_DIR: join(parent, 'old') } },
  );
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^keyward: Node 24 or newer is needed, this is v[\d.]+\. .*\n$/);
});
