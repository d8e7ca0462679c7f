import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  CUSTOMER_ROWS,
  importFields,
  KEY_ROWS,
  type RowKind,
  rulesOf,
} from '../../../src/cli/commands/import/row-fields.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

/** Runs the scripts of docs/guides/migrating.md on recorded exports, and imports the results. */
const GUIDE = readFileSync(
  new URL('../../../../docs/guides/migrating.md', import.meta.url),
  'utf8',
);
const folder = mkdtempSync(join(tmpdir(), 'keyward-migrating-'));

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

const section = (title: string) => {
  const begin = GUIDE.indexOf(`\n## ${title}`);
  expect(begin).toBeGreaterThan(0);
  return GUIDE.slice(begin, GUIDE.indexOf('\n## ', begin + 1));
};
const fieldsOf = (kind: RowKind, rows: readonly Record<string, unknown>[]) =>
  rows.map((row) => importFields(row, rulesOf(kind, {})));
const imported = async (path: string, body: object) => {
  const { status, body: result } = await test.client.post(path, body);
  expect(status).toBe(200);
  for (const row of result.results) expect(row).toMatchObject({ status: 'imported' });
  return result.results.map(({ id }: { id: string }) => id);
};
const effective = async (id: string) =>
  (await test.client.get(`/api-keys/${id}?effective=true`)).body;

it('imports keys and identities of Unkey', async () => {
  const script = /```js[^\n]*\n([\s\S]+?)```/.exec(section('From Unkey'))![1]!;
  writeFileSync(join(folder, 'unkey.mjs'), script);
  // The script reads a page from each line, but responses do not end with one.
  expect(section('From Unkey')).toMatch(/curl -s -w '\\n' .*?>> unkey\.json/s);
  const ratelimit = { id: 'rl_1234', name: 'API_requests', limit: 1000, duration: 3_600_000 };
  const identity = {
    id: 'id_1234abcd',
    externalId: 'user_12345',
    meta: { plan: 'premium' },
    ratelimits: [{ ...ratelimit, name: 'default', limit: 7, autoApply: true }],
  };
  const recorded = {
    keyId: 'key_1234567890abcdef',
    start: 'sk_test_abc123',
    enabled: true,
    name: 'Production API Key',
    meta: { region: 'us-east-1' },
    createdAt: 1_701_425_400_000,
    updatedAt: 1_701_425_400_000,
    expires: 1_935_689_600_000,
    permissions: ['documents.read'],
    roles: ['editor'],
    credits: { remaining: 999, refill: { interval: 'monthly', amount: 1000, refillDay: 1 } },
    identity,
    plaintext: 'sk_test_abc123def456',
    ratelimits: [
      { ...ratelimit, autoApply: true },
      { ...ratelimit, name: 'named', autoApply: false },
    ],
  };
  const { plaintext: _, ...unrecoverable } = recorded;
  const unlimited = {
    keyId: 'key_2',
    start: 'sk',
    enabled: false,
    createdAt: 1_701_425_400_000,
    credits: { remaining: null },
    plaintext: 'sk_test_another_value',
  };
  const pages = [[recorded, unrecoverable], [unlimited]].map((data) =>
    JSON.stringify({ meta: { requestId: 'req_1' }, data, pagination: { hasMore: false } }),
  );
  execFileSync(process.execPath, ['unkey.mjs'], { cwd: folder, input: pages.join('\n') });
  const rowsOf = (file: string) =>
    readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  const customers = fieldsOf(CUSTOMER_ROWS, rowsOf('customers.ndjson'));
  await imported('/customers/import', { customers });
  const [id, other] = await imported('/api-keys/import', {
    keys: fieldsOf(KEY_ROWS, rowsOf('keys.ndjson')),
  });
  const key = await effective(id);
  expect(key).toMatchObject({
    name: 'Production API Key',
    customAccountId: 'user_12345',
    customMetaData: { region: 'us-east-1' },
    permissions: ['documents.read'],
    credits: { remaining: 999, refill: { amount: 1000, interval: 'month', timezone: 'UTC' } },
    expiresAt: new Date(recorded.expires).toISOString(),
    isActive: true,
  });
  const sliding = { algorithm: 'sliding', mode: 'enforce', rateLimitTtl: 3600 };
  expect(key.effective.limits).toEqual([
    { ...sliding, name: 'general', rateLimit: 7, per: 'customer' },
    { ...sliding, name: 'api-requests', rateLimit: 1000, per: 'key' },
  ]);
  expect((await test.client.post(`/api-keys/auth/${recorded.plaintext}`)).status).toBe(200);
  expect(await effective(other)).toMatchObject({ credits: null, isActive: false, limits: [] });
});

/** The query of a section. psql joins its lines, so a comment would hide the rest. */
function queryIn(title: string): string {
  const [, query = ''] = /\\copy \(([\s\S]+?)\) to 'keys\.csv'/.exec(section(title))!;
  expect(query).not.toContain('--');
  return query.replaceAll('\\"', '"');
}

it('imports keys of your own table', async () => {
  const db = new DatabaseSync(':memory:');
  db.function('encode', (bytes, format) =>
    Buffer.from(bytes as Uint8Array).toString(`${format}` as 'hex'),
  );
  db.function('left', (text, length) => `${text}`.slice(0, Number(length)));
  db.exec(`create table api_keys (name text, key_sha256 blob, key_prefix text, user_id text,
    expires_at text, created_at text, revoked_at text)`);
  const value = 'own_abcdefghijklmnopqrstuvwxyz';
  const hash = createHash('sha256').update(value).digest();
  db.prepare(
    `insert into api_keys values ('Mine', ?, 'own_abc', 'user-1', null, '2025-01-01', null)`,
  ).run(hash);
  const rows = db.prepare(queryIn('From your own table')).all() as Record<string, unknown>[];
  db.close();
  await imported('/api-keys/import', { keys: fieldsOf(KEY_ROWS, rows) });
  const { status, body } = await test.client.post(`/api-keys/auth/${value}`);
  expect([status, body.customUserId, body.createdAt]).toEqual([
    200,
    'user-1',
    '2025-01-01T00:00:00.000Z',
  ]);
});

it('imports keys of theauthapi', async () => {
  const ignore = [...section('From theauthapi').matchAll(/--ignore (\w+)/g)].map(
    ([, name]) => name!,
  );
  expect(ignore.length).toBeGreaterThan(3);
  const recorded = {
    key: 'live_a_value_of_theauthapi',
    name: 'First',
    customMetaData: { plan: 'pro' },
    customAccountId: 'customer-1',
    customUserId: 'user-1',
    env: 'live',
    createdAt: '2025-01-01T00:00:00.000Z',
    updatedAt: '2025-01-02T00:00:00.000Z',
    isActive: true,
    rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 60 },
    expiry: null,
  };
  const keys = [importFields(recorded, rulesOf(KEY_ROWS, { ignore }))];
  const [id] = await imported('/api-keys/import', { keys });
  const { key: _, updatedAt: __, expiry, ...same } = recorded;
  expect(await effective(id)).toMatchObject({ ...same, expiresAt: expiry });
});

it('imports keys of the API key plugin of better-auth', async () => {
  const query = queryIn('From better-auth');
  const value = 'my_app_abcdefghijklmnopqrstuvwxyz';
  const other = `${value}2`;
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
  const db = new DatabaseSync(':memory:');
  db.exec(`create table apikey (
    id text primary key, name text, start text, prefix text, "key" text not null, "userId" text not null,
    "refillInterval" integer, "refillAmount" integer, "lastRefillAt" integer, enabled integer,
    "rateLimitEnabled" integer, "rateLimitTimeWindow" integer, "rateLimitMax" integer,
    "requestCount" integer, remaining integer, "lastRequest" integer, "expiresAt" integer,
    "createdAt" integer not null, "updatedAt" integer not null, permissions text, metadata text)`);
  const insert = db.prepare(`insert into apikey values (?, ?, ?, 'my_app_', ?, 'user-1',
    ?, ?, null, 1, ?, 86400000, 10, 3, ?, null, null, '2025-01-01T00:00:00Z', '2025-01-01T00:00:00Z',
    null, '{"tier":"premium"}')`);
  insert.run('1', 'Mine', 'my_app_ab', digest(value), 86_400_000, 100, 1, 42);
  insert.run('2', null, 'my_app_ab', digest(other), 3_600_000, 5, 0, null);
  const rows = db.prepare(query).all() as Record<string, unknown>[];
  db.close();
  const [id, unlimited] = await imported('/api-keys/import', { keys: fieldsOf(KEY_ROWS, rows) });
  expect(await effective(id)).toMatchObject({
    name: 'Mine',
    key: expect.stringMatching(/^my_app_ab/),
    customAccountId: 'user-1',
    customMetaData: { tier: 'premium' },
    rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 86_400 },
    credits: { remaining: 42, refill: { amount: 100, interval: 'day', timezone: 'UTC' } },
    createdAt: '2025-01-01T00:00:00.000Z',
  });
  const { status, body } = await test.client.post(`/api-keys/auth/${value}`);
  expect([status, body.credits.remaining]).toEqual([200, 41]);
  expect(await effective(unlimited)).toMatchObject({ credits: null, rateLimitConfigs: null });
});
