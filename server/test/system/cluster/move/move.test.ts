import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { verifyWebhook } from 'keyward';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, ChildServer, startServer } from '../../../harness/child-server.ts';
import { freePort } from '../../../harness/free-port.ts';
import { type FreshPostgres, freshPostgres } from '../../../harness/postgres/postgres.ts';
import { timeoutMs } from '../../../harness/scale.ts';
import { createTestClient, type TestClient } from '../../../harness/test-client.ts';
import { createTestPerson } from '../../../harness/test-person.ts';
import { keyward } from './keyward-command.ts';
import { queryDatabase } from './query-database.ts';

const parent = mkdtempSync(join(tmpdir(), 'keyward-move-'));
const dataDir = join(parent, 'data');
const SETTINGS = {
  KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8',
  KEYWARD_PUBLIC_URL: 'https://keyward.example',
};
const OWNER = {
  name: 'Ada',
  email: 'ada@example.com',
  password: 'correct horse battery staple',
} as const;
const LIMIT = { rateLimit: 5, rateLimitTtl: 86_400 };

let databases: FreshPostgres[] = [];
const freshDatabase = async (options?: { migrated: boolean }) => {
  const database = await freshPostgres(options);
  databases.push(database);
  return database;
};
afterEach(async () => {
  for (const { dispose } of databases) await dispose();
  databases = [];
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

interface Made {
  readonly keys: readonly { id: string; key: string }[];
  readonly limited: string;
  readonly secret: string;
  readonly hook: string;
  readonly hookPort: number;
  readonly session: ReadonlyMap<string, string>;
  readonly seen: Awaited<ReturnType<typeof responsesOf>>;
}
let made: Made;

/** API responses that must be the same before and after the move. */
async function responsesOf(client: TestClient) {
  const paths = [
    '/api-keys?limit=100',
    '/projects',
    '/access-keys',
    '/webhooks',
    '/audit-logs?limit=100',
    '/analytics/api-key-totals',
    '/analytics/project-totals',
  ];
  const responses = await Promise.all(paths.map((path) => client.get(path)));
  // Without `lastUsedAt`, which these requests themselves change.
  const comparable = (body: unknown) =>
    JSON.parse(JSON.stringify(body, (name, value) => (name === 'lastUsedAt' ? null : value)));
  return responses.map(({ status, body }, n) => [paths[n], status, comparable(body)]);
}

/** An installation with data of every kind, created by the real server and stopped cleanly. */
beforeAll(async () => {
  const server = await startServer({ dataDir, env: SETTINGS });
  const client = createTestClient(server.url, BOOTSTRAP_KEY);
  const hookPort = await freePort();
  const hook = await client.post('/webhooks', {
    name: 'Waits',
    url: `http://127.0.0.1:${hookPort}/`,
    topics: ['api-key.created'],
    customHeaders: { 'x-token': 'receiver token' },
  });
  expect(hook.status, hook.text).toBe(201);
  const keys: { id: string; key: string }[] = [];
  for (const name of ['ß', 'Zoë', 'a', 'B']) {
    const key = await client.post('/api-keys', { name, customMetaData: { plan: name } });
    keys.push(key.body as { id: string; key: string });
  }
  const limited = (await client.post('/api-keys', { name: 'few', rateLimitConfigs: LIMIT })).body;
  for (const { key } of [...keys, limited, limited, limited])
    expect((await client.post(`/api-keys/auth/${key}`)).status).toBe(200);
  const erased = (await client.post('/api-keys', { name: 'gone' })).body;
  await client.delete(`/api-keys/${erased.id}?permanent=true`);
  const owner = createTestPerson(server.url);
  const token = /#token=(\S+)/.exec(server.stdout)![1]!;
  const signedIn = await owner.post('/auth/setup', { token, ...OWNER });
  expect(signedIn.status, signedIn.text).toBe(200);
  await server.end('SIGTERM');
  const again = await startServer({ dataDir, env: SETTINGS });
  const seen = await responsesOf(createTestClient(again.url, BOOTSTRAP_KEY));
  expect(await again.end('SIGTERM')).toEqual({ code: 0, signal: null });
  made = {
    keys,
    limited: limited.key,
    secret: hook.body.secret,
    hook: hook.body.id,
    hookPort,
    session: owner.cookies,
    seen,
  };
});

const move = (url: string, env: Record<string, string> = {}) =>
  keyward(['move', '--to', url, '--data-dir', dataDir], env).ended;

const secretOf = () => readFileSync(join(dataDir, 'secret'), 'utf8').trim();
const mark = join(dataDir, 'moved');

it('everything works on PostgreSQL after the move, and the directory names the new database', {
  timeout: timeoutMs,
}, async () => {
  const { url } = await freshDatabase();
  const moved = await move(url);
  expect(moved, moved.err).toMatchObject({ code: 0 });
  expect(moved.out).toContain('the same on both sides');
  expect(moved.out).toMatch(/Audit log: \d+ rows verified, 0 unsealed/);
  expect(moved.out).toContain(`KEYWARD_SECRET         the content of ${dataDir}/secret`);
  expect(moved.out + moved.err).not.toContain(secretOf());

  const again = await move(url);
  expect(again, again.err).toMatchObject({ code: 0 });
  expect(again.out).toMatch(/already moved .* by an earlier run; nothing was compared again\./);
  expect(again.out).not.toContain('the same on both sides');
  expect(again.out).toContain('To start it, on every node:');

  const embedded = new ChildServer({ dataDir, env: SETTINGS });
  expect((await embedded.exited).code).toBe(1);
  expect(embedded.output).toContain('This installation was moved to PostgreSQL at 127.0.0.1:');
  expect(embedded.output).toContain(`remove the file ${mark}`);

  const { server: receiver, received } = await receiverOn(made.hookPort);
  const server = await startServer({
    dataDir: join(parent, 'elsewhere'),
    env: { ...SETTINGS, KEYWARD_DATABASE_URL: url, KEYWARD_SECRET: secretOf() },
  });
  try {
    const client = createTestClient(server.url, BOOTSTRAP_KEY);
    expect(await responsesOf(client)).toEqual(made.seen);
    for (const { key } of made.keys)
      expect((await client.post(`/api-keys/auth/${key}`)).status).toBe(200);
    // Three of the five allowed requests were used before the move.
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++)
      statuses.push((await client.post(`/api-keys/auth/${made.limited}`)).status);
    expect(statuses).toEqual([200, 200, 429]);
    // The number of a deleted key is not reused.
    expect((await client.post('/api-keys', { name: 'after' })).status).toBe(201);
    const rows = await queryDatabase(url, 'select seq from api_keys order by seq');
    expect(rows.map(({ seq }) => Number(seq))).toEqual([1, 2, 3, 4, 5, 7]);

    const person = createTestPerson(server.url);
    for (const [name, value] of made.session) person.cookies.set(name, value);
    expect((await person.get('/me')).body).toMatchObject({ email: OWNER.email });
    const fresh = createTestPerson(server.url);
    const { email, password } = OWNER;
    expect((await fresh.post('/auth/sign-in', { email, password })).status).toBe(200);

    const waiting = (await client.get(`/webhooks/${made.hook}/deliveries`)).body;
    for (const { id, status } of waiting)
      if (status === 'pending') await client.post(`/webhooks/${made.hook}/deliveries/${id}/retry`);
    // Pending deliveries are sent, with the key's value and the encrypted headers.
    const values = new Set(made.keys.map(({ key }) => key));
    await expect
      .poll(
        async () => {
          for (const { body, headers } of received) {
            const event = await verifyWebhook({ body, headers, secret: made.secret });
            values.delete((event.data as { key?: string }).key ?? '');
            expect(headers['x-token']).toBe('receiver token');
          }
          return values.size;
        },
        { interval: 200 },
      )
      .toBe(0);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  } finally {
    await server.end('SIGKILL');
    receiver.close();
    rmSync(mark, { force: true });
  }
  const back = await startServer({ dataDir, env: SETTINGS });
  expect(await responsesOf(createTestClient(back.url, BOOTSTRAP_KEY))).toEqual(made.seen);
  await back.end('SIGTERM');
});

it('a move that cannot begin names the obstacle and changes nothing', {
  timeout: timeoutMs,
}, async () => {
  const { url } = await freshDatabase();
  const refused = async (to: string, env?: Record<string, string>) => {
    const { code, err, out } = await move(to, env);
    expect([code, out]).toEqual([1, '']);
    expect(existsSync(mark)).toBe(false);
    return err;
  };
  const tables = async (of: string) =>
    (await queryDatabase(of, `select 1 from pg_tables where schemaname = 'public'`)).length;

  expect(await refused(url, { KEYWARD_SECRET: 'not the secret of this installation at all' })).toBe(
    'keyward: the root secret does not belong to this database.\n',
  );
  expect(await refused(url.replace(/:\d+\//, ':1/'))).toMatch(
    /^keyward: PostgreSQL at 127\.0\.0\.1:1\/\w+ cannot be used\. The connection to PostgreSQL is lost: connect ECONNREFUSED/,
  );
  const server = await startServer({ dataDir, env: SETTINGS });
  expect(await refused(url)).toBe(
    `keyward: Another Keyward (pid ${server.process.pid}) is using the data directory ${dataDir}. Stop it first, or choose another with KEYWARD_DATA_DIR.\n`,
  );
  await server.end('SIGTERM');
  expect(await tables(url)).toBe(0);

  await queryDatabase(url, 'create table orders (id integer)');
  expect(await refused(url)).toBe(
    'keyward: The database is not empty and does not belong to Keyward: it contains the tables orders. Create an empty database for Keyward.\n',
  );
  expect(await tables(url)).toBe(1);

  const newer = await freshDatabase({ migrated: true });
  await queryDatabase(newer.url, `insert into schema_version values (99, 'later', 0)`);
  expect(await refused(newer.url)).toContain('schema version 99');

  const others = await freshDatabase({ migrated: true });
  await queryDatabase(
    others.url,
    `insert into installation values ('secret check value', 'other')`,
  );
  expect(await refused(others.url)).toBe(
    'keyward: The database contains another installation, with another root secret. Create an empty database for this one.\n',
  );

  const used = await freshDatabase({ migrated: true });
  await queryDatabase(
    used.url,
    `insert into events values ('evt_1', 'acc_1', null, 't', '{}', null, 0)`,
  );
  expect(await refused(used.url)).toBe(
    'keyward: The database is not empty: there are rows in its table events.\n',
  );
  expect(await queryDatabase(used.url, 'select 1 from events')).toHaveLength(1);

  const wrong = await keyward(['move', '--to', 'mysql://host/db', '--data-dir', dataDir]).ended;
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain('--to must be a URL like postgres://');
  const variable = { KEYWARD_DATABASE_URL: 'mysql://host/db' };
  const { err } = await keyward(['move', '--data-dir', dataDir], variable).ended;
  expect(err).toContain('KEYWARD_DATABASE_URL must be a URL like postgres://');
});

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

async function receiverOn(port: number): Promise<{ server: Server; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = await text(request);
    received.push({ headers: request.headers as Record<string, string>, body });
    response.end();
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, received };
}
