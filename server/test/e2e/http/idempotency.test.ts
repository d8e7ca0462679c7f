import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepResponses } from '../../../src/features/changes/index.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import type { TestClient } from '../../harness/test-client.ts';
import { rawDatabase } from '../raw-database.ts';

const DAY_MS = 24 * 3_600_000;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const create = (key: string, body: object = { name: 'Once' }, client: TestClient = test.client) =>
  client.post('/api-keys', body, { 'idempotency-key': key });
const keysNamed = async (name: string) =>
  (await test.client.get(`/api-keys?name=${encodeURIComponent(name)}`)).body;

describe('a creating request with an Idempotency-Key', () => {
  it('sent again gets the first response with the value, and creates nothing', async () => {
    const first = await create('again', { name: 'Again' });
    expect(first.status).toBe(201);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    test.clock.now += 1000;
    const second = await create('again', { name: 'Again' });
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await keysNamed('Again')).toHaveLength(1);
  });

  it('with another body is a 422, and creates nothing', async () => {
    await create('other-body', { name: 'First body' });
    const { status, body, text } = await create('other-body', { name: 'Second body' });
    expect([status, body.code]).toEqual([422, 'idempotency_mismatch']);
    expect(text).not.toContain('First body');
    expect(await keysNamed('Second body')).toEqual([]);
  });

  it('sent while the first is in progress is a 409, then the same response', async () => {
    // An open transaction blocks all writes, so that the first request stays in progress.
    const { promise, resolve } = Promise.withResolvers<void>();
    const blocking = test.storage.transaction(() => promise);
    const calls = [1, 2].map(() => create('at-once', { name: 'At once' }));
    const early = await Promise.race(calls);
    expect([early.status, early.body.code]).toEqual([409, 'idempotency_in_flight']);
    resolve();
    await blocking;
    const responses = await Promise.all(calls);
    const made = responses.find(({ status }) => status === 201)!;
    expect((await create('at-once', { name: 'At once' })).text).toBe(made.text);
    expect(await keysNamed('At once')).toHaveLength(1);
  });

  it('is forgotten after 24 hours', async () => {
    const first = await create('a-day', { name: 'A day' });
    test.clock.now += DAY_MS - 1;
    expect((await create('a-day', { name: 'A day' })).body.id).toBe(first.body.id);
    test.clock.now += 1;
    const later = await create('a-day', { name: 'A day' });
    expect(later.status).toBe(201);
    expect(later.headers.get('idempotent-replayed')).toBeNull();
    expect(later.body.id).not.toBe(first.body.id);
    expect((await create('a-day', { name: 'A day' })).body.id).toBe(later.body.id);
  });

  it('belongs to one access key and one route', async () => {
    const first = await create('shared');
    const { body: access } = await test.client.post('/access-keys', { name: 'Another' });
    const second = await create('shared', { name: 'Once' }, test.client.as(access.key));
    expect(second.body.id).not.toBe(first.body.id);
    const project = await test.client.post(
      '/projects',
      { name: 'Once' },
      { 'idempotency-key': 'shared' },
    );
    expect(project.status).toBe(201);
    expect(project.body.id).toMatch(/^prj_/);
    await test.client.delete(`/projects/${project.body.id}`);
  });

  it('is a 422 for the rotation of another API key', async () => {
    const [one, other] = [(await create('one')).body, (await create('other')).body];
    const rotate = (id: string) =>
      test.client.post(`/api-keys/${id}/rotate`, undefined, { 'idempotency-key': 'rotate' });
    const first = await rotate(one.id);
    expect(first.status).toBe(201);
    expect((await rotate(one.id)).text).toBe(first.text);
    expect((await rotate(other.id)).body.code).toBe('idempotency_mismatch');
    expect((await test.client.post(`/api-keys/auth/${other.key}`)).status).toBe(200);
  });

  it('is not stored for a rejected request', async () => {
    expect((await create('refused', { name: '' })).status).toBe(400);
    const taken = { name: 'Taken', key: 'taken-by-another' };
    await test.client.post('/api-keys', taken);
    expect((await create('refused', taken)).status).toBe(409);
    expect((await create('refused', { name: 'Now fine' })).status).toBe(201);
  });

  it.each([
    ['/access-keys', { name: 'Access' }],
    ['/projects', { name: 'Project' }],
    ['/invitations', { emails: ['once@example.com'], role: 'viewer' }],
  ])('%s supports it too', async (path, body) => {
    const send = () => test.client.post(path, body, { 'idempotency-key': 'everywhere' });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    if (path === '/projects') await test.client.delete(`/projects/${first.body.id}`);
  });

  it('is ignored by other routes', async () => {
    const { body } = await create('for-update', { name: 'To update' });
    const update = (name: string) =>
      test.client.patch(`/api-keys/${body.id}`, { name }, { 'idempotency-key': 'update' });
    expect((await update('One')).body.name).toBe('One');
    expect((await update('Two')).body.name).toBe('Two');
  });

  it.each(['', 'with a space', 'k'.repeat(256), 'ümlaut'])('%j is a 400', async (key) => {
    const { status, body } = await create(key, { name: 'Bad header' });
    expect([status, body.code]).toEqual([400, 'invalid_header']);
    expect(body.message).toContain('Idempotency-Key');
    expect(await keysNamed('Bad header')).toEqual([]);
  });
});

describe('the stored response', () => {
  it('is encrypted: the value is in no file', async () => {
    const { body } = await create('encrypted', { name: 'Encrypted' });
    const { body: access } = await test.client.post(
      '/access-keys',
      { name: 'Encrypted' },
      { 'idempotency-key': 'encrypted' },
    );
    const files = await rawDatabase(test);
    expect(files.includes(body.id)).toBe(true);
    expect(files.includes(body.key)).toBe(false);
    expect(files.includes(access.key)).toBe(false);
  });

  it('cannot be decrypted in another row', async () => {
    await create('locked-a', { name: 'Locked' });
    const row = await test.storage.point
      .selectFrom('idempotency')
      .selectAll()
      .where('idempotency_key', '=', 'locked-a')
      .executeTakeFirstOrThrow();
    const context = `idempotency:${row.principal_id}:${row.route}:`;
    expect(JSON.parse(test.secrets.decrypt(row.response, `${context}locked-a`)).name).toBe(
      'Locked',
    );
    expect(() => test.secrets.decrypt(row.response, `${context}locked-b`)).toThrow();
  });

  it('is erased with the key', async () => {
    const first = await create('erased', { name: 'Erased' });
    await test.client.delete(`/api-keys/${first.body.id}?permanent=true`);
    const rows = await test.storage.point
      .selectFrom('idempotency')
      .select('idempotency_key')
      .where('resource_id', '=', first.body.id)
      .execute();
    expect(rows).toEqual([]);
    const again = await create('erased', { name: 'Erased' });
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(first.body.id);
    expect(again.text).not.toContain(first.body.key);
  });

  it('is deleted after it expires, however many there are', async () => {
    const rows = Array.from({ length: 1_203 }, (_, n) => ({
      principal_id: 'ak_swept',
      route: 'POST /api-keys',
      idempotency_key: `swept-${n}`,
      request_hash: '',
      status: 201,
      response: '',
      resource_id: '',
      // The last three have not expired.
      expires_at: test.clock.now + (n < 1_200 ? 0 : 1),
    }));
    await test.storage.transaction(async (tx) => {
      for (let start = 0; start < rows.length; start += 200)
        await tx
          .insertInto('idempotency')
          .values(rows.slice(start, start + 200))
          .execute();
    });
    const left = async () =>
      (
        await test.storage.read
          .selectFrom('idempotency')
          .select('idempotency_key')
          .where('principal_id', '=', 'ak_swept')
          .execute()
      ).length;
    expect(await sweepResponses(test.storage, test.clock.now)).toBeGreaterThanOrEqual(1_200);
    expect(await left()).toBe(3);
    expect(await sweepResponses(test.storage, test.clock.now)).toBe(0);
  });
});

it('a request with the same Idempotency-Key and another query is a 422, and changes nothing', async () => {
  const { body: other } = await test.client.post('/projects', { name: 'Other' });
  const add = (projectId: string) =>
    test.client.post(
      `/customers/acme/credits?projectId=${projectId}`,
      { add: 5 },
      { 'idempotency-key': 'other-query' },
    );
  for (const projectId of [test.projectId, other.id])
    await test.client.post('/customers', { customAccountId: 'acme', projectId });
  expect((await add(test.projectId)).body.remaining).toBe(5);
  const { status, body } = await add(other.id);
  expect([status, body.code]).toEqual([422, 'idempotency_mismatch']);
});
