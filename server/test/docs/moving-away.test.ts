// Takes 5 s of CPU: starts a server and three commands.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runToEnd } from '../harness/child.ts';
import { BOOTSTRAP_KEY, startServer } from '../harness/child-server.ts';
import { shellPath } from '../harness/shell-path.ts';
import { blocks } from './blocks.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyward-away-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the program of moving-away.md validates the keys of a backup without Keyward', async () => {
  const env = { PATH: shellPath(folder), KEYWARD_ACCESS_KEY: BOOTSTRAP_KEY };
  const run = (script: string) => runToEnd('bash', ['-ec', script], folder, env);
  const server = await startServer({ dataDir: join(folder, 'data') });
  const created = await run(`npx keyward keys create --name Ada --json --url ${server.url}`);
  await run(
    'npx keyward backup keyward-backup.db --data-dir data && cp data/secret keyward-secret',
  );
  await server.end('SIGTERM');
  rmSync(join(folder, 'data'), { recursive: true });

  const program = blocks.find(
    ({ file, language }) => file === 'docs/guides/moving-away.md' && language === 'js',
  );
  const use = `console.log(JSON.stringify([${created.trim()}.key, 'no such key'].map(validate)));`;
  writeFileSync(join(folder, 'validate.mjs'), `${program!.code}\n${use}\n`);
  const [known, ...others] = JSON.parse(await run('node validate.mjs'));
  expect(known).toMatchObject({ name: 'Ada', is_active: 1 });
  expect(others).toEqual([null]);
});
