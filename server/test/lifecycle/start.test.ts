// 8 s of CPU: a server process for every way to start.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, ChildServer } from '../harness/child-server.ts';
import { createTestClient } from '../harness/test-client.ts';

const parent = mkdtempSync(join(tmpdir(), 'keyward-start-'));
const servers: ChildServer[] = [];

afterAll(async () => {
  for (const server of servers) await server.end('SIGKILL');
  rmSync(parent, { recursive: true, force: true });
});

function launch(dataDir: string, env: Record<string, string> = {}): ChildServer {
  const server = new ChildServer({ dataDir, env });
  servers.push(server);
  return server;
}

/** A failed start prints one line on standard error and exits with 1. */
async function refusalOf(dataDir: string, env: Record<string, string> = {}): Promise<string> {
  const server = launch(dataDir, env);
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.stdout).toBe('');
  const lines = server.stderr.trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('the life of a data directory', () => {
  const dataDir = join(parent, 'data');
  let accessKey: string;
  let first: ChildServer;

  beforeAll(async () => {
    first = await launch(dataDir).ready();
  });

  it('the first start shows an access key and a setup link, and creates files readable by their owner only', async () => {
    accessKey = /access key +(account_access_[0-9A-Za-z]{49})/.exec(first.stdout)?.[1] ?? '';
    const token = /dashboard\/setup#token=([\w-]{43})/.exec(first.stdout)?.[1] ?? '';
    expect((await createTestClient(first.url, accessKey).get('/accounts')).status).toBe(200);
    expect(modeOf(dataDir)).toBe(0o700);
    for (const name of ['secret', 'keyward.db']) expect(modeOf(join(dataDir, name))).toBe(0o600);
    const secret = readFileSync(join(dataDir, 'secret'), 'utf8').trim();
    expect(token).toHaveLength(43);
    for (const hidden of [accessKey, token, secret]) {
      expect(first.stderr).not.toContain(hidden);
      for (const name of ['keyward.db', 'keyward.db-wal'])
        expect(readFileSync(join(dataDir, name), 'latin1')).not.toContain(hidden);
    }
  });

  it('a second process is refused, and the first continues', async () => {
    expect(await refusalOf(dataDir)).toBe(
      `keyward: Another Keyward (pid ${first.process.pid}) is using the data directory ${dataDir}. Stop it first, or choose another with KEYWARD_DATA_DIR.`,
    );
    expect((await createTestClient(first.url, null).get('/readyz')).status).toBe(200);
  });

  it('the second start shows neither, and a new bootstrap access key is ignored', async () => {
    expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const second = await launch(dataDir, { KEYWARD_BOOTSTRAP_ACCESS_KEY: BOOTSTRAP_KEY }).ready();
    expect(second.stdout).toMatch(/^Keyward \S+ is ready at http/);
    expect(second.output).not.toMatch(/access key|setup|token/i);
    expect((await createTestClient(second.url, accessKey).get('/accounts')).status).toBe(200);
    expect((await createTestClient(second.url, BOOTSTRAP_KEY).get('/accounts')).status).toBe(401);
    await second.end('SIGTERM');
  });

  it('a wrong root secret is refused and not printed', async () => {
    const line = await refusalOf(dataDir, { KEYWARD_SECRET: 'wrong'.repeat(10) });
    expect(line).toMatch(/^keyward: The root secret does not belong to this database/);
    expect(line).not.toContain('wrongwrong');
  });

  it('is refused without its secret file, and no new one is created', async () => {
    rmSync(join(dataDir, 'secret'));
    expect(await refusalOf(dataDir)).toMatch(/^keyward: The root secret is gone: .*KEYWARD_SECRET/);
    expect(() => statSync(join(dataDir, 'secret'))).toThrow(/ENOENT/);
  });

  it('is refused if a file is not a database', async () => {
    writeFileSync(join(dataDir, 'keyward.db'), 'no database at all '.repeat(1_000));
    expect(await refusalOf(dataDir)).toMatch(/^keyward: .*not a database/i);
  });
});

describe('another first start', () => {
  it('succeeds after a power cut that left an empty secret file, and uses the given access key without printing it', async () => {
    const dataDir = join(parent, 'power cut');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'secret'), '', { mode: 0o600 });
    const server = await launch(dataDir, { KEYWARD_BOOTSTRAP_ACCESS_KEY: BOOTSTRAP_KEY }).ready();
    expect(server.stdout).toContain('This is the first start');
    expect(readFileSync(join(dataDir, 'secret'), 'utf8').trim()).toHaveLength(43);
    expect((await createTestClient(server.url, BOOTSTRAP_KEY).get('/accounts')).status).toBe(200);
    expect(server.output).not.toContain(BOOTSTRAP_KEY);
  });

  it.each([
    [{ PORT: 'eighty' }, 'PORT must be a whole number from 0 to 65535, not "eighty".'],
    [{ KEYWARD_SECERT: 'x' }, 'KEYWARD_SECERT is not a setting. See: npx keyward serve --help'],
  ])('with %o is refused before anything is created', async (env, message) => {
    const dataDir = join(parent, 'never');
    expect(await refusalOf(dataDir, env)).toBe(`keyward: ${message}`);
    expect(() => statSync(dataDir)).toThrow(/ENOENT/);
  });
});

it('KEYWARD_THREADS is ignored with one log line that says what to use instead', async () => {
  const server = await launch(join(parent, 'threads'), { KEYWARD_THREADS: '4' }).ready();
  const lines = server.stderr.split('\n').filter((line) => line.includes('KEYWARD_THREADS'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('run several nodes');
});
