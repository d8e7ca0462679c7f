import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, ChildServer } from '../../harness/child-server.ts';
import { type FreshPostgres, freshPostgres } from '../../harness/postgres/postgres.ts';
import { createTestClient } from '../../harness/test-client.ts';

const ENTRY = fileURLToPath(new URL('../../../bin/keyward.mjs', import.meta.url));
const GUIDE = new URL('../../../../docs/guides/from-one-machine-to-many.md', import.meta.url);
const SECRET = 'the root secret of a cluster in the tests';
const PASSWORD = 'hunter2-in-a-url';

let database: FreshPostgres;
let directory: string;
let servers: ChildServer[];

beforeEach(async () => {
  database = await freshPostgres();
  directory = mkdtempSync(join(tmpdir(), 'keyward-pg-start-'));
  servers = [];
});
afterEach(async () => {
  for (const server of servers) server.process.kill('SIGKILL');
  await Promise.all(servers.map(({ exited }) => exited));
  await database.dispose();
  rmSync(directory, { recursive: true, force: true });
});

/** Adds a password, which the test server ignores and which must never be printed. */
function urlWithPassword(): string {
  const url = new URL(database.url);
  url.password = PASSWORD;
  return url.href;
}

function start(env: Record<string, string> = {}): ChildServer {
  const server = new ChildServer({
    dataDir: join(directory, 'data'),
    env: {
      KEYWARD_DATABASE_URL: urlWithPassword(),
      KEYWARD_SECRET: SECRET,
      KEYWARD_BOOTSTRAP_ACCESS_KEY: BOOTSTRAP_KEY,
      KEYWARD_RATE_LIMITS: 'per-node',
      KEYWARD_LOG_LEVEL: 'trace',
      ...env,
    },
  });
  servers.push(server);
  return server;
}

const keyward = (args: readonly string[], env: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [ENTRY, ...args], {
    encoding: 'utf8',
    cwd: directory,
    env: { PATH: process.env.PATH, KEYWARD_DATABASE_URL: urlWithPassword(), ...env },
  });
  return { status, output: stdout + stderr };
};

it('two nodes that start together create one installation, and receive each other’s changes', async () => {
  const nodes = await Promise.all([start().ready(), start().ready()]);
  expect(nodes.filter(({ stdout }) => stdout.includes('This is the first start'))).toHaveLength(1);
  const [a, b] = nodes.map(({ url }) => createTestClient(url, BOOTSTRAP_KEY)) as [
    ReturnType<typeof createTestClient>,
    ReturnType<typeof createTestClient>,
  ];
  expect((await a.get('/accounts')).body).toHaveLength(1);
  const made = await a.post('/api-keys', { name: 'a key of a cluster' });
  expect(made.status).toBe(201);
  expect((await b.post(`/api-keys/auth/${made.body.key}`)).status).toBe(200);
  expect((await a.delete(`/api-keys/${made.body.id}`)).status).toBe(200);
  const refused = async () => (await b.post(`/api-keys/auth/${made.body.key}`)).status;
  await expect.poll(refused).toBe(404);
  for (const node of nodes) {
    node.process.kill('SIGTERM');
    expect(await node.exited).toMatchObject({ code: 0 });
    expect(node.output).not.toContain(PASSWORD);
  }
  expect(existsSync(join(directory, 'data'))).toBe(false);
});

it('the audit log is verified from the database', async () => {
  const node = await start().ready();
  node.process.kill('SIGTERM');
  await node.exited;
  const proof = keyward(['audit', 'verify', '--json'], { KEYWARD_SECRET: SECRET });
  expect(proof.status, proof.output).toBe(0);
  expect(JSON.parse(proof.output)).toMatchObject({
    proven: 3,
    unsealed: { count: 0 },
    broken: null,
  });
});

it('the schema can be migrated without serving', () => {
  expect(keyward(['migrate']).output).toMatch(/from version 0 to \d+/);
  expect(keyward(['migrate'])).toMatchObject({
    status: 0,
    output: expect.stringMatching(/already at version \d+/),
  });
  const direct = { KEYWARD_DATABASE_DIRECT_URL: 'postgres://localhost/keyward?colour=red' };
  expect(keyward(['migrate'], direct).output).toContain('KEYWARD_DATABASE_DIRECT_URL has the');
});

describe('refused with one line', () => {
  const failing = async (env: Record<string, string>) => {
    const server = start(env);
    const { code } = await server.exited;
    expect(code).not.toBe(0);
    expect(server.output).not.toContain(PASSWORD);
    expect(server.output).not.toMatch(/\n\s+at /);
    return server.output;
  };

  it('an unreachable database', async () => {
    const url = `postgres://keyward:${PASSWORD}@127.0.0.1:1/keyward`;
    expect(await failing({ KEYWARD_DATABASE_URL: url })).toContain(
      'PostgreSQL at 127.0.0.1:1/keyward cannot be used',
    );
  });

  it('a database that does not exist', async () => {
    const url = new URL(urlWithPassword());
    url.pathname = '/keyward_nowhere';
    expect(await failing({ KEYWARD_DATABASE_URL: url.href })).toContain(
      'database "keyward_nowhere" does not exist',
    );
  });

  it('no root secret', async () => {
    expect(await failing({ KEYWARD_SECRET: '' })).toContain('KEYWARD_SECRET must be');
  });

  it('another root secret', async () => {
    const node = await start().ready();
    node.process.kill('SIGTERM');
    await node.exited;
    expect(await failing({ KEYWARD_SECRET: `${SECRET}, but another` })).toContain(
      'The root secret does not belong to this database.',
    );
  });

  it.each([
    ['sslmode=prefer', 'accepts only sslmode disable, require, verify-ca, verify-full'],
    ['sslmode=verify-ca', 'needs sslrootcert'],
    ['target_session_attrs=any', 'accepts only target_session_attrs=read-write'],
    ['sslmode=verify-full&sslrootcert=/nowhere.pem', 'cannot read sslrootcert /nowhere.pem'],
    ['ssl=true', 'has the unknown parameter ssl'],
  ])('a URL with %s', async (query, line) => {
    const output = await failing({ KEYWARD_DATABASE_URL: `${urlWithPassword()}?${query}` });
    expect(output).toContain(`KEYWARD_DATABASE_URL ${line}`);
  });

  it.each([
    ['backup', 'pg_dump --format=custom --file=keyward.dump "$KEYWARD_DATABASE_URL"'],
    [
      'restore',
      'pg_restore --exit-on-error --single-transaction --dbname="$KEYWARD_DATABASE_URL" keyward.dump',
    ],
  ])('keyward %s, with the command that the guide names', (command, instead) => {
    const { status, output } = keyward([command, 'keyward.dump']);
    expect(status).not.toBe(0);
    expect(output).toContain(instead);
    expect(output).not.toContain(PASSWORD);
    expect(readFileSync(GUIDE, 'utf8')).toContain(`\n${instead}\n`);
  });
});
