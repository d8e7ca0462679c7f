import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, startServer } from '../../harness/child-server.ts';
import { freePort } from '../../harness/free-port.ts';
import { shellPath } from '../../harness/shell-path.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const tutorial = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8');
const blocks = [...tutorial.matchAll(/^```(\w+) [^\n]*\n(.*?)^```$/gms)].map(
  ([, language = '', code = '']) => ({ language, code }),
);

const folder = mkdtempSync(join(tmpdir(), 'keyward-tutorial-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the tutorial works from its first to its last command', async () => {
  // Instead of `npm install`: the packages of the repository.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const server = await startServer({ dataDir: join(folder, 'data') });
  const apiPort = await freePort();
  const adapted = (code: string) =>
    code
      .replaceAll('http://127.0.0.1:8080', server.url)
      .replaceAll(':3000/', `:${apiPort}/`)
      .replace('listen(3000,', `listen(${apiPort},`);
  const env: Record<string, string> = { PATH: shellPath(folder), KEYWARD_URL: server.url };
  const run = (code: string): string => {
    const { stdout, stderr } = spawnSync('bash', ['-e'], {
      input: adapted(code),
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect(stderr).not.toMatch(/keyward:|not found/);
    return stdout;
  };

  const [install, setAccessKey, createKey, setKey, api, startApi, ...rest] = blocks;
  expect(install?.code).toContain('npx keyward serve\n');
  expect(setAccessKey?.code).toBe('export KEYWARD_ACCESS_KEY=account_access_…\n');
  env.KEYWARD_ACCESS_KEY = BOOTSTRAP_KEY;
  const created = run(createKey!.code);
  expect(setKey?.code).toBe('export KEY=live_…\n');
  env.KEY = /^key +(live_\S+)$/m.exec(created)![1]!;
  expect(api?.language).toBe('js');
  writeFileSync(join(folder, 'api.mjs'), adapted(api!.code));
  expect(startApi?.code).toBe('node api.mjs &\n');
  const process_ = spawn(process.execPath, ['api.mjs'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(process_.stdout, 'data');
    const [tryIt, exceed, revoke, look] = rest.map(({ code }) => run(code));
    const statuses = (text = '') => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code);
    expect(statuses(tryIt)).toEqual(['401', '200']);
    expect(tryIt).toContain('Hello, Ada!');
    expect(statuses(exceed)).toEqual(['200', '200', '200', '200', '429']);
    expect(exceed?.toLowerCase()).toContain('retry-after:');
    expect(statuses(revoke)).toEqual(['401']);
    expect(look).toMatch(/valid +5/);
    expect(look).toContain('api-key.');
  } finally {
    process_.kill();
    await server.end('SIGTERM');
  }
});
