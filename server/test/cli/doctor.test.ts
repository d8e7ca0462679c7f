import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCli } from '../../src/cli/run.ts';
import { startMailServer } from '../harness/mail-server.ts';
import { freshPostgres } from '../harness/postgres/postgres.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let directory: string;
const directories: string[] = [];
/** A port where a program listens that is not Keyward. */
let other: Server;
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ realClock: true });
  other = createServer((socket) => socket.end('not http\n'));
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  await app.close();
  other.close();
  for (const each of directories) rmSync(each, { recursive: true });
});
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-doctor-'));
  directories.push(directory);
});

async function doctor(env: Record<string, string> = {}, ...argv: string[]) {
  let out = '';
  const code = await runCli(['doctor', ...argv], {
    env: { KEYWARD_DATA_DIR: directory, PORT: '0', ...env },
    columns: null,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      out += text;
    },
    progress: () => {},
    style: (_, text) => text,
    readInput: async () => '',
  });
  return { code, out };
}

const portOf = (url: string): string => new URL(url).port;

it('finds nothing wrong on a machine without data', async () => {
  const { code, out } = await doctor({ KEYWARD_DATA_DIR: join(directory, 'new') });
  expect(out).toContain('the first start creates it');
  expect(out).toMatch(/No problem was found\.\n$/);
  expect(code).toBe(0);
});

it('says which setting is wrong', async () => {
  expect(await doctor({ KEYWARD_DATABASE_POOL: 'many' })).toEqual({
    code: 1,
    out: expect.stringContaining('KEYWARD_DATABASE_POOL must be a whole number'),
  });
});

it('says that others can read the root secret, or that it is gone', async () => {
  const secret = join(directory, 'secret');
  writeFileSync(secret, 'x');
  chmodSync(secret, 0o644);
  expect((await doctor()).out).toContain(`→ chmod 600 ${secret}`);
  rmSync(secret);
  new DatabaseSync(join(directory, 'keyward.db')).close();
  const { code, out } = await doctor();
  expect(code).toBe(1);
  expect(out).toContain('is gone, and the database needs it');
});

it('says that a database is not one of Keyward, or is newer', async () => {
  const file = join(directory, 'keyward.db');
  writeFileSync(join(directory, 'secret'), 'x', { mode: 0o600 });
  new DatabaseSync(file).exec('create table schema_version (version integer)');
  expect((await doctor()).out).toContain('is not a database of Keyward');
  new DatabaseSync(file).exec('insert into schema_version values (9999)');
  expect((await doctor()).out).toContain('was upgraded by a newer Keyward (schema 9999');
});

it('distinguishes a running Keyward from another program on the port', async () => {
  const { port } = other.address() as { port: number };
  expect((await doctor({ PORT: String(port) })).out).toContain('another program uses it');
  const { code, out } = await doctor({ PORT: portOf(app.url) });
  expect(code).toBe(0);
  expect(out).toMatch(/the server at port \d+ on 127\.0\.0\.1 runs version /);
});

it('checks the public URL', async () => {
  expect((await doctor({ KEYWARD_PUBLIC_URL: app.url })).out).toMatch(
    /public URL .*: reachable\nok +clock: agrees with the public URL\n/,
  );
  const { code, out } = await doctor({ KEYWARD_PUBLIC_URL: 'http://keys.invalid' });
  expect(code).toBe(1);
  expect(out).toContain('travel unencrypted');
  expect((await doctor({ KEYWARD_PUBLIC_URL: 'https://keys.invalid' })).out).toContain(
    'KEYWARD_TRUSTED_PROXIES is not set',
  );
});

const CLUSTER = { KEYWARD_SECRET: 'a root secret for tests, and for nothing else' };

it('checks PostgreSQL', async () => {
  const database = await freshPostgres();
  try {
    const { code, out } = await doctor({ ...CLUSTER, KEYWARD_DATABASE_URL: database.url });
    expect(out).toMatch(/ok +PostgreSQL .*: version \d/);
    expect(out).toContain('clock: agrees with PostgreSQL');
    expect(out).not.toContain(new URL(database.url).password || 'password');
    expect(code).toBe(0);
  } finally {
    await database.dispose();
  }
  const { port } = other.address() as { port: number };
  const env = { ...CLUSTER, KEYWARD_DATABASE_URL: `postgres://u:topsecret@127.0.0.1:${port}/k` };
  const { code, out } = await doctor(env);
  expect(code).toBe(1);
  expect(out).toContain('Check KEYWARD_DATABASE_URL');
  expect(out).not.toContain('topsecret');
});

it('says that Redis cannot be reached', async () => {
  const { code, out } = await doctor({ KEYWARD_REDIS_URL: 'redis://:topsecret@127.0.0.1:1' });
  expect(code).toBe(1);
  expect(out).toContain('Check KEYWARD_REDIS_URL');
  expect(out).not.toContain('topsecret');
});

it('checks the mail server', async () => {
  const mail = await startMailServer();
  const settings = { KEYWARD_SMTP_FROM: 'Keyward <keyward@example.com>' };
  try {
    const { out } = await doctor({ ...settings, KEYWARD_SMTP_URL: mail.smtp.url });
    expect(out).toMatch(/ok +mail server /);
  } finally {
    await mail.close();
  }
  const { code, out } = await doctor({ ...settings, KEYWARD_SMTP_URL: mail.smtp.url });
  expect(code).toBe(1);
  expect(out).toContain('Check KEYWARD_SMTP_URL');
});
