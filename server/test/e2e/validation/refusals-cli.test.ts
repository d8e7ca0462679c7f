import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const KEYWARD = fileURLToPath(new URL('../../../bin/keyward.mjs', import.meta.url));

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ realClock: true });
});
afterAll(() => test.close());

/** Runs `npx keyward refusals` in a separate process, as a user does. */
function keywardRefusals(...argv: string[]) {
  const child = spawn(process.execPath, [KEYWARD, 'refusals', ...argv], {
    env: { ...process.env, KEYWARD_URL: test.url, KEYWARD_ACCESS_KEY: test.accessKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    output.out += text;
  });
  child.stderr.on('data', (text) => {
    output.err += text;
  });
  return { child, output };
}

async function createRevokedKey(name: string): Promise<{ id: string; key: string }> {
  const { body } = await test.client.post('/api-keys', { name });
  await test.client.delete(`/api-keys/${body.id}`);
  return body;
}

const refuse = ({ key }: { key: string }) => test.client.post('/api-keys/auth', { key });

it('follows refusals as they happen, each once, and ends with Ctrl-C', async () => {
  const [first, second] = [await createRevokedKey('first'), await createRevokedKey('second')];
  await refuse(first);
  const { child, output } = keywardRefusals('--follow', '--json');
  await expect.poll(() => output.out).toContain(first.id);
  await refuse(second);
  await expect.poll(() => output.out).toContain(second.id);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  const rows = output.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows.map(({ keyId }) => keyId)).toEqual([first.id, second.id]);
  expect(output.out).not.toContain(first.key);
});

it('lists refusals as a table, with filters', async () => {
  const key = await createRevokedKey('listed');
  await refuse(key);
  await test.app.tally.flush();
  const { child, output } = keywardRefusals('--key', key.id, '--code', 'key_revoked');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(output.out).toContain('key_revoked');
  expect(output.out).toContain(key.id);
  const wrong = keywardRefusals('--code', 'no_such_code');
  expect((await once(wrong.child, 'exit'))[0]).toBe(1);
});

it.each([[], ['--json']])('says how many refusals were not recorded %s', async (...options) => {
  const key = await createRevokedKey('flooded');
  // Ten a minute are recorded, and a new minute may begin meanwhile.
  for (let n = 0; n < 30; n++) await refuse(key);
  await test.app.tally.flush();
  const { child, output } = keywardRefusals('--key', key.id, ...options);
  expect(await once(child, 'exit')).toEqual([0, null]);
  const omitted = Number(/(\d+) more were not recorded and are not listed\./.exec(output.err)?.[1]);
  expect(output.out.match(new RegExp(key.id, 'g'))).toHaveLength(30 - omitted);
});
