// 5 s of CPU: an MCP client and its server, started for each test.
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CreateApiKey } from '../../src/features/api-keys/schema.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const KEYWARD = fileURLToPath(new URL('../../bin/keyward.mjs', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'keyward-mcp-'));
const VALUES = join(home, 'keyward-values.ndjson');

let test: TestApp;
let agent: Client;

/** An agent that starts the command as a real one does. */
async function startAgent(
  accessKey: string,
  args: readonly string[] = [],
  wrapper: readonly string[] = [],
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const [command, ...rest] = [...wrapper, process.execPath, KEYWARD, 'mcp', ...args];
  await client.connect(
    new StdioClientTransport({
      command: command!,
      args: rest,
      env: { HOME: home, KEYWARD_URL: test.url, KEYWARD_ACCESS_KEY: accessKey },
    }),
  );
  return client;
}

async function use(client: Client, name: string, input: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: input });
  const [{ text }] = content as [{ text: string }];
  const json = text.slice(text.search(/^\{/m));
  return { text, isError, data: text.includes('{') ? JSON.parse(json) : null };
}

const storedValues = () =>
  readFileSync(VALUES, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; name: string; key: string });

const isValid = async (key: string): Promise<boolean> =>
  (await test.client.post('/api-keys/auth', { key })).status === 200;

beforeAll(async () => {
  test = await startTestApp({ realClock: true });
  agent = await startAgent(test.accessKey, ['--values-file', VALUES]);
});
afterAll(async () => {
  await agent.close();
  await test.close();
  rmSync(home, { recursive: true });
});

it('says of each tool whether it reads, adds or destroys', async () => {
  const { tools } = await agent.listTools();
  const effects = Object.fromEntries(
    tools.map(({ name, annotations }) => {
      const { readOnlyHint, destructiveHint } = annotations!;
      return [name, readOnlyHint ? 'reads' : destructiveHint ? 'destroys' : 'adds'];
    }),
  );
  expect(effects).toEqual({
    list_projects: 'reads',
    list_keys: 'reads',
    create_key: 'adds',
    rotate_key: 'destroys',
    revoke_key: 'destroys',
    explain_refusal: 'reads',
    read_usage: 'reads',
  });
});

it('creates a key whose value only the user can read', async () => {
  const { text, data } = await use(agent, 'create_key', { name: 'Ada', tags: ['agent'] });
  const stored = storedValues().at(-1)!;
  expect(stored).toMatchObject({ id: data.id, name: 'Ada' });
  expect(await isValid(stored.key)).toBe(true);
  expect(text).not.toContain(stored.key);
  expect(text).toContain(`Created "Ada" (${data.id}). Its value is in ${VALUES}`);
  expect(statSync(VALUES).mode & 0o777).toBe(0o600);
});

it('takes what the endpoint takes, except a value, which the agent would know', async () => {
  const { tools } = await agent.listTools();
  const fieldsOf = (tool: string) =>
    Object.keys(tools.find(({ name }) => name === tool)!.inputSchema.properties!);
  const { key: _, ...fields } = CreateApiKey.properties;
  expect(fieldsOf('create_key')).toEqual(Object.keys(fields));
  const limits = [{ name: 'day', rateLimit: 5, rateLimitTtl: 86_400 }];
  const input = { name: 'Limited', limits, credits: { remaining: 7 } };
  const { data } = await use(agent, 'create_key', input);
  expect(data.limits).toMatchObject(limits);
  expect(data.credits.remaining).toBe(7);
});

it('lists keys by filter and by page', async () => {
  for (const name of ['First', 'Second', 'Third'])
    await test.client.post('/api-keys', { name, tags: ['listed'] });
  const filter = { tag: ['listed'], limit: 2 };
  const first = await use(agent, 'list_keys', filter);
  const second = await use(agent, 'list_keys', { ...filter, cursor: first.data.nextCursor });
  const names = [...first.data.rows, ...second.data.rows].map(({ name }) => name);
  expect(names).toEqual(['Third', 'Second', 'First']);
  expect(second.data.nextCursor).toBeNull();
  expect((await use(agent, 'list_projects')).data.rows[0].id).toMatch(/^prj_/);
});

it('rotates a key and names both', async () => {
  const { body: old } = await test.client.post('/api-keys', { name: 'Turning' });
  const { text, data } = await use(agent, 'rotate_key', { key: old.id });
  const stored = storedValues().at(-1)!;
  expect(text).toContain(`Rotated: "Turning" (${data.id}) replaces ${old.id}`);
  expect(text).not.toContain(stored.key);
  expect([await isValid(old.key), await isValid(stored.key)]).toEqual([false, true]);
});

it('names the key that it revokes, even if the agent knew only the value', async () => {
  const { body } = await test.client.post('/api-keys', { name: 'Leaked' });
  const { text } = await use(agent, 'revoke_key', { key: body.key });
  expect(text).toContain(`Revoked "Leaked" (${body.id})`);
  expect(text).not.toContain(body.key);
  expect(await isValid(body.key)).toBe(false);
});

it('masks a value that somebody wrote into a field', async () => {
  const { body } = await test.client.post('/api-keys', { name: 'Source' });
  await test.client.post('/api-keys', { name: `copy of ${body.key}`, tags: ['copied'] });
  const { text } = await use(agent, 'list_keys', { tag: ['copied'] });
  expect(text).toContain('copy of ');
  expect(text).not.toContain(body.key);
});

it('explains a refusal, with the latest refused requests', async () => {
  const { body } = await test.client.post('/api-keys', { name: 'Scoped', permissions: ['a.read'] });
  await test.client.post('/api-keys/auth', { key: body.key, permissions: ['a.write'] });
  await test.app.tally.flush();
  const request = { key: body.id, permissions: ['a.write'] };
  const { text, data } = await use(agent, 'explain_refusal', request);
  expect(text).toContain('The key would be refused now: permission_denied.');
  expect(data.missing).toEqual(['a.write']);
  expect(data.recentRefusals).toMatchObject([{ code: 'permission_denied' }]);
  const allowed = await use(agent, 'explain_refusal', { key: body.id, permissions: ['a.read'] });
  expect(allowed.text).toContain('The key would be accepted now.');
});

it('reads usage', async () => {
  const { body } = await test.client.post('/api-keys', { name: 'Counted' });
  for (let n = 0; n < 3; n++) await isValid(body.key);
  await test.app.tally.flush();
  const { data } = await use(agent, 'read_usage', { key: body.id, interval: 'month' });
  const total = data.rows.reduce((sum: number, row: { total: number }) => sum + row.total, 0);
  expect(total).toBe(3);
});

it.each([
  ['revoke_key', { key: 'key_none' }, 'key_not_found'],
  ['create_key', { name: 'x', expiry: 'soon' }, 'expiry'],
  ['create_key', {}, 'name'],
  ['create_key', { name: 'x', key: 'chosen-by-the-agent' }, 'unknown field "key"'],
  ['rotate_key', { key: 'key_none', graceSecond: 5 }, 'graceSeconds'],
  ['delete_key', {}, 'no tool "delete_key"'],
])('%s %j fails with a reason', async (name, input, reason) => {
  const { text, isError } = await use(agent, name, input);
  expect(isError).toBe(true);
  expect(text).toContain(reason);
});

describe('the scopes of the access key', () => {
  it('limit the tools', async () => {
    const { body } = await test.client.post('/access-keys', { name: 'r', scopes: ['keys:read'] });
    const reader = await startAgent(body.key);
    const { body: key } = await test.client.post('/api-keys', { name: 'Kept' });
    expect((await use(reader, 'list_keys')).isError).toBe(false);
    const refused = await use(reader, 'revoke_key', { key: key.id });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toContain('keys:write');
    expect(await isValid(key.key)).toBe(true);
    expect((await use(reader, 'explain_refusal', { key: key.id })).data.recentRefusals).toContain(
      'analytics:read',
    );
    await reader.close();
  });
});

it('makes no keys unless it was told where their values go', async () => {
  const plain = await startAgent(test.accessKey);
  const { body: old } = await test.client.post('/api-keys', { name: 'Kept' });
  for (const [tool, input] of [
    ['create_key', { name: 'Unasked' }],
    ['rotate_key', { key: old.id }],
  ] as const) {
    const { text, isError } = await use(plain, tool, input);
    expect(isError).toBe(true);
    expect(text).toContain('--values-file FILE');
  }
  expect((await test.client.get('/api-keys?name=Unasked')).body).toEqual([]);
  expect(await isValid(old.key)).toBe(true);
  expect((await use(plain, 'revoke_key', { key: old.id })).isError).toBe(false);
  await plain.close();
});

it('shows values with --show-values', async () => {
  const trusted = await startAgent(test.accessKey, ['--show-values']);
  const { data } = await use(trusted, 'create_key', { name: 'Shown' });
  expect(await isValid(data.key)).toBe(true);
  await trusted.close();
});

it('stores values in a file of the user only, not through a link, in a pipe or in a file of others', async () => {
  const inHome = (name: string) => join(home, name);
  writeFileSync(inHome('target'), 'kept\n', { mode: 0o644 });
  symlinkSync('target', inHome('link'));
  execFileSync('mkfifo', ['-m', '644', inHome('pipe')]);
  // With a reader, so that the pipe can be opened.
  const reader = openSync(inHome('pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
  writeFileSync(inHome('theirs'), '');
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(inHome('theirs'), 1, 1);
  for (const name of ['link', 'pipe', '.', ...(isRoot ? ['theirs'] : [])]) {
    const misled = await startAgent(test.accessKey, ['--values-file', inHome(name)]);
    const { text, isError } = await use(misled, 'create_key', { name: 'Misled' });
    expect({ name, isError }).toEqual({ name, isError: true });
    expect(text).toContain('Nothing was changed');
    await misled.close();
  }
  closeSync(reader);
  expect((await test.client.get('/api-keys?name=Misled')).body).toEqual([]);
  expect(readFileSync(inHome('target'), 'utf8')).toBe('kept\n');
  expect(statSync(inHome('target')).mode & 0o777).toBe(0o644);
  expect(statSync(inHome('pipe')).mode & 0o777).toBe(0o644);
});

it('changes nothing if the value cannot be stored', async () => {
  const stuck = await startAgent(test.accessKey, ['--values-file', '/dev/null/values']);
  const { text, isError } = await use(stuck, 'create_key', { name: 'Unstored' });
  expect(isError).toBe(true);
  expect(text).toContain('Nothing was changed');
  const { body } = await test.client.get('/api-keys?name=Unstored');
  expect(body).toEqual([]);
  await stuck.close();
});

it('names the new key if its value cannot be stored afterwards', async () => {
  // The file can be opened, but no file can grow, as on a full disk.
  const full = ['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh'];
  const stuck = await startAgent(test.accessKey, ['--values-file', join(home, 'full')], full);
  const failed = 'but its value could not be stored: EFBIG';
  const created = await use(stuck, 'create_key', { name: 'Lost' });
  const { body } = await test.client.get('/api-keys?name=Lost');
  expect(created.isError).toBe(true);
  expect(created.text).toContain(`${body[0].id} was created, ${failed}`);
  expect(created.text).not.toMatch(/live_\w{49}/);

  const { body: old } = await test.client.post('/api-keys', { name: 'Turned' });
  const rotated = await use(stuck, 'rotate_key', { key: old.id });
  expect(rotated.isError).toBe(true);
  expect(rotated.text).toMatch(new RegExp(`^key_\\w+ replaces ${old.id}, ${failed}`));
  await stuck.close();
});
