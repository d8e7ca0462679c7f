import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCli } from '../../src/cli/run.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
let other: TestApp;
let home: string;
const homes: string[] = [];

beforeAll(async () => {
  test = await startTestApp({ realClock: true });
  other = await startTestApp({ realClock: true });
});
afterAll(async () => {
  await Promise.all([test.close(), other.close()]);
  for (const each of homes) rmSync(each, { recursive: true });
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'keyward-profiles-'));
  homes.push(home);
});

const file = () => join(home, '.config/keyward/profiles.json');

async function keyward(argv: string[], env: Record<string, string> = {}, input = '') {
  const result = { code: 0, out: '', err: '' };
  result.code = await runCli(argv, {
    env: { HOME: home, ...env },
    columns: null,
    out: (text) => {
      result.out += text;
    },
    err: (text) => {
      result.err += text;
    },
    progress: () => {},
    style: (_, text) => text,
    readInput: async () => input,
  });
  return result;
}

const login = (app: TestApp, ...argv: string[]) =>
  keyward(['login', app.url, ...argv], {}, `${app.accessKey}\n`);

it('login stores address and access key for the next commands, readable for the owner only', async () => {
  const { code, out, err } = await login(test);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toBe(`Commands now use ${test.url} (profile default, stored in ${file()}).\n`);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, '.config/keyward')).mode & 0o777).toBe(0o700);
  expect(await keyward(['projects', 'list'])).toMatchObject({ code: 0 });
  expect(await keyward(['status'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/state +ready\naccess key +accepted\n$/),
  });
});

it('an access key that the server refuses is not stored', async () => {
  const { code, err } = await keyward(['login', test.url], {}, other.accessKey);
  expect(code).toBe(1);
  expect(err).toContain('does not know this access key');
  expect(() => readFileSync(file())).toThrow('ENOENT');
});

it('the last login is used; --profile, KEYWARD_PROFILE and profiles use choose another', async () => {
  await login(test, '--profile', 'first');
  await login(other, '--profile', 'second');
  const server = async (argv: string[], env: Record<string, string> = {}) =>
    JSON.parse((await keyward(['status', '--json', ...argv], env)).out).server;
  expect(await server([])).toBe(other.url);
  expect(await server(['--profile', 'first'])).toBe(test.url);
  expect(await server([], { KEYWARD_PROFILE: 'first' })).toBe(test.url);
  expect((await keyward(['profiles', 'use', 'first'])).code).toBe(0);
  expect(await server([])).toBe(test.url);
  const { out } = await keyward(['profiles', 'list']);
  expect(out).toContain('first');
  expect(out).not.toContain('account_access_');
});

it('the access key of a profile is never sent to another server', async () => {
  await login(test);
  for (const [argv, env] of [
    [['keys', 'list', '--url', other.url], {}],
    [['keys', 'list'], { KEYWARD_URL: other.url }],
    [['keys', 'list', '--url', other.url], { KEYWARD_PROFILE: 'default' }],
  ] as const) {
    const { code, err } = await keyward([...argv], env);
    expect(code).toBe(2);
    expect(err).toContain('no access key is given');
  }
  const { code, err } = await keyward([
    'projects',
    'list',
    '--url',
    other.url,
    '--profile',
    'default',
  ]);
  expect({ code, err }).toMatchObject({
    code: 2,
    err: expect.stringContaining('--profile has its own'),
  });
});

it('the operator uses no profile, so that a command does not act on another server', async () => {
  await login(test, '--profile', 'far');
  const { code, err } = await keyward(['accounts', 'list', '--operator', '--profile', 'far']);
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining('name the server with --url'),
  });
});

it('variables take precedence over the stored server', async () => {
  await login(test);
  const env = { KEYWARD_URL: other.url, KEYWARD_ACCESS_KEY: other.accessKey };
  expect(JSON.parse((await keyward(['status', '--json'], env)).out)).toMatchObject({
    server: other.url,
    accessKey: 'accepted',
  });
});

it('logout removes the access key', async () => {
  await login(test);
  expect((await keyward(['logout'])).code).toBe(0);
  expect(readFileSync(file(), 'utf8')).not.toContain(test.accessKey);
  expect(await keyward(['logout'])).toMatchObject({ code: 2 });
});

it('a file that others can read, or that is damaged, is refused with the remedy', async () => {
  await login(test);
  chmodSync(file(), 0o640);
  expect((await keyward(['projects', 'list'])).err).toContain(`chmod 600 ${file()}`);
  chmodSync(file(), 0o600);
  writeFileSync(file(), '{"current":"gone","profiles":{}}');
  expect((await keyward(['projects', 'list'])).err).toContain('is damaged');
});

it('status says that a server is not ready or refuses the key, with exit code 1', async () => {
  const env = { KEYWARD_URL: test.url, KEYWARD_ACCESS_KEY: other.accessKey };
  const { code, out } = await keyward(['status'], env);
  expect(code).toBe(1);
  expect(out).toMatch(/access key +refused/);
  expect(await keyward(['status'], { KEYWARD_URL: test.url })).toMatchObject({
    code: 0,
    out: expect.stringMatching(/access key +none/),
  });
});
