import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const run = (statement: string) => test.storage.transaction((tx) => sql.raw(statement).execute(tx));

/** Causes the error of each engine for a full disk: SQLITE_FULL, or SQLSTATE 53100. */
async function fillDisk(): Promise<void> {
  if (test.storage.engine === 'sqlite') {
    // SQLite never sets the limit below the pages in use, so only a write that needs a new page fails.
    await run('PRAGMA max_page_count = 1');
    return;
  }
  await run(`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`);
  for (const table of ['api_keys', 'installation'])
    await run(`CREATE TRIGGER disk_full BEFORE INSERT ON ${table} EXECUTE FUNCTION disk_full()`);
}

const freeDisk = () =>
  test.storage.engine === 'sqlite'
    ? run('PRAGMA max_page_count = 4294967294')
    : run('DROP FUNCTION disk_full CASCADE');

/** Too large for the free pages. */
const create = (n: number) =>
  test.client.post('/api-keys', {
    name: `key ${n}`,
    customMetaData: { filler: 'x'.repeat(15_000) },
  });

it('rejects changes while the disk is full, continues to validate, and recovers automatically', async () => {
  const key = (await test.client.post('/api-keys', { name: 'before' })).body.key;
  const uncached = (await test.client.post('/api-keys', { name: 'not cached' })).body.key;
  expect((await test.client.post('/api-keys/auth', { key })).status).toBe(200);
  expect((await test.client.get('/readyz')).status).toBe(200);

  await fillDisk();
  const refused = await create(1);
  expect(refused.status, refused.text).toBe(503);
  expect(refused.body).toMatchObject({
    code: 'storage_full',
    message: expect.stringContaining('The disk of the database is full'),
  });
  expect(refused.headers.get('retry-after')).toBe('30');
  expect(refused.headers.get('retry-after-seconds')).toBeNull();

  test.clock.now += 2_000;
  const readiness = await test.client.get('/readyz');
  expect([readiness.status, readiness.body.code]).toEqual([503, 'storage_full']);
  expect(readiness.headers.get('retry-after')).toBe('30');
  expect((await test.client.get('/readyz?for=validations')).body).toMatchObject({
    status: 'ready',
  });
  for (const value of [key, uncached])
    expect((await test.client.post('/api-keys/auth', { key: value })).status).toBe(200);
  expect((await test.client.get('/api-keys')).body).toHaveLength(2);

  await freeDisk();
  expect((await create(2)).status).toBe(201);
  // The result of the last probe is cached for a second.
  expect((await test.client.get('/readyz')).status).toBe(503);
  test.clock.now += 2_000;
  expect((await test.client.get('/readyz')).body).toMatchObject({ status: 'ready' });
  const left = await test.storage.read.selectFrom('installation').select('name').execute();
  expect(left).not.toContainEqual({ name: 'space check' });
});

it('rejects an unknown value of the query parameter of /readyz', async () => {
  expect((await test.client.get('/readyz?for=nothing')).status).toBe(400);
});
