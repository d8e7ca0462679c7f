import { type ChildProcess, spawn } from 'node:child_process';
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

interface Following {
  readonly child: ChildProcess;
  readonly output: { out: string; err: string };
}

/** Runs `npx keyward audit` in a separate process, as a user does. */
function keywardAudit(...argv: string[]): Following {
  const child = spawn(process.execPath, [KEYWARD, 'audit', ...argv], {
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

async function createKey(name: string): Promise<string> {
  const { status, body } = await test.client.post('/api-keys', { name });
  expect(status).toBe(201);
  return body.id;
}

it('audit --follow shows the last ten rows, oldest first, then each new row once, and ends with Ctrl-C', async () => {
  const before: string[] = [];
  for (let n = 0; n < 12; n++) before.push(await createKey(`before ${n}`));
  const { child, output } = keywardAudit('--follow', '--json', '--action', 'api-key.');
  const targets = () =>
    output.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).targetId);
  await expect.poll(() => output.out).toContain(before.at(-1));
  const after = [await createKey('one'), await createKey('two')];
  await expect.poll(() => output.out).toContain(after[1]);
  expect((await test.client.post('/access-keys', { name: 'another action' })).status).toBe(201);
  after.push(await createKey('three'));
  await expect.poll(() => output.out).toContain(after[2]);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(targets()).toEqual([...before.slice(-10), ...after]);
  expect(output.err).toBe('');
});

/** Inserts a row, as a node does whose clock is behind or whose transaction took long. */
async function insertRow(targetId: string, createdAt: number): Promise<void> {
  await test.storage.transaction((tx) =>
    tx
      .insertInto('audit_log')
      .values({
        id: `aud_${targetId}`,
        account_id: test.accountId,
        project_id: test.projectId,
        actor_type: 'system',
        actor_id: 'system',
        action: 'plan.created',
        target_type: 'plan',
        target_id: targetId,
        before: null,
        after: null,
        request_id: null,
        client_address: null,
        user_agent: null,
        created_at: createdAt,
      })
      .execute(),
  );
}

it('audit --follow shows a row that arrives after newer ones, up to ten seconds late', async () => {
  const start = Date.now() - 60_000;
  await insertRow('earliest', start);
  await insertRow('newest', start + 40_000);
  const { output } = keywardAudit('--follow', '--json', '--action', 'plan.created');
  await expect.poll(() => output.out).toContain('newest');
  await insertRow('too-late', start + 29_000);
  await insertRow('late', start + 31_000);
  await expect.poll(() => output.out).toContain('"late"');
  expect(output.out).not.toContain('too-late');
});

it('audit --follow prints a table with one heading, and waits if there are no rows yet', async () => {
  const { child, output } = keywardAudit('--follow', '--action', 'api-key.updated');
  const id = await createKey('to be changed');
  await test.client.patch(`/api-keys/${id}`, { name: 'changed' });
  await expect.poll(() => output.out.split(id)).toHaveLength(2);
  await test.client.patch(`/api-keys/${id}`, { name: 'changed again' });
  await expect.poll(() => output.out.split(id)).toHaveLength(3);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(output.out.match(/WHEN/g)).toHaveLength(1);
  expect(output.out).not.toContain('SEALED');
  expect(output.out).not.toContain('api-key.created');
});

it('audit --follow is rejected together with options that end a list', async () => {
  const { child, output } = keywardAudit('--follow', '--all');
  expect(await once(child, 'exit')).toEqual([2, null]);
  expect(output.err).toContain('--follow cannot be combined with');
});
