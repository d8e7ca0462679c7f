// Takes 8 s of CPU: starts two servers and five commands.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { blocks } from '../docs/blocks.ts';
import { runToEnd } from '../harness/child.ts';
import { BOOTSTRAP_KEY, startServer } from '../harness/child-server.ts';
import { shellPath } from '../harness/shell-path.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyward-restore-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOTE = 'run by server/test/lifecycle/restore-guide.test.ts';
const [restore, validate] = blocks.filter(
  ({ file, note }) => file === 'docs/guides/one-machine.md' && note === NOTE,
);

it('the restore test of the guide validates a key of the backup', async () => {
  const env: Record<string, string> = {
    PATH: shellPath(folder),
    KEYWARD_ACCESS_KEY: BOOTSTRAP_KEY,
  };
  const run = (script: string) => runToEnd('bash', ['-ec', script], folder, env);
  const server = await startServer({ dataDir: join(folder, 'data') });
  const created = await run(`npx keyward keys create --name Ada --json --url ${server.url}`);
  env.KEY = JSON.parse(created).key;
  await run(
    'npx keyward backup keyward-backup.db --data-dir data && cp data/secret keyward-secret',
  );
  await server.end('SIGTERM');

  const [serve = '', ...commands] = restore!.code.trimEnd().split('\n').toReversed();
  expect(serve).toBe('npx keyward serve --data-dir restored --port 8099 --metrics-port 0');
  expect(await run(commands.toReversed().join('\n'))).toContain('No problem was found.');
  const restored = await startServer({ dataDir: join(folder, 'restored') });
  const output = await run(validate!.code.replace('http://127.0.0.1:8099', restored.url));
  expect(output).toContain('valid  Ada');
  await restored.end('SIGTERM');
});
