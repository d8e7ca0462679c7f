import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/test-app.ts';
import { Keyward, KeywardError, KeywardUnavailable } from '../src/index.ts';

let app: TestApp;
let keyward: Keyward;

beforeAll(async () => {
  app = await startTestApp({ realClock: true });
  keyward = new Keyward(app.sdkOptions);
});
afterAll(() => app.close());

const failure = (promise: Promise<unknown>): Promise<KeywardError> =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error) => error,
  );

it('creates, reads, updates, revokes, reactivates, rotates and erases a key', async () => {
  const made = await keyward.apiKeys.create({ name: 'Ada', customMetaData: { plan: 'pro' } });
  expect(made.key).toMatch(/^live_/);
  expect((await keyward.apiKeys.get(made.id)).key).toMatch(/\*{9}$/);
  const updated = await keyward.apiKeys.update(made.id, { name: 'Ada L.' });
  expect(updated).toMatchObject({ name: 'Ada L.', customMetaData: { plan: 'pro' } });
  expect(await keyward.apiKeys.revoke(made.id)).toBe(true);
  expect((await keyward.apiKeys.get(made.id)).isActive).toBe(false);
  expect((await keyward.apiKeys.reactivate(made.id)).isActive).toBe(true);
  const rotated = await keyward.apiKeys.rotate(made.id);
  expect(rotated.key).not.toBe(made.key);
  expect(await keyward.apiKeys.erase(rotated.id)).toBe(true);
  expect((await failure(keyward.apiKeys.get(rotated.id))).code).toBe('key_not_found');
});

it('sets permissions, finds keys by tag, and explains a refusal', async () => {
  const policies = {
    permissions: ['documents.*'],
    allowedIPs: ['10.0.0.0/8'],
    startsAt: '2024-01-01T00:00:00.000Z',
    tags: ['blue', 'partner'],
  };
  const made = await keyward.apiKeys.create({ name: 'Tagged', ...policies });
  expect(made).toMatchObject(policies);
  await keyward.apiKeys.import({
    keys: [{ name: 'Brought', key: 'brought-with-tags', tags: ['blue'], permissions: ['a.b'] }],
  });
  const namesOf = async (tag: string[]) =>
    (await keyward.apiKeys.list({ tag }).page()).items.map(({ name }) => name).toSorted();
  expect(await namesOf(['blue'])).toEqual(['Brought', 'Tagged']);
  expect(await namesOf(['blue', 'partner'])).toEqual(['Tagged']);
  expect(await keyward.apiKeys.count({ tag: ['blue', 'partner'] })).toMatchObject({ count: 1 });
  const asked = { permissions: ['documents.read', 'users.list'], clientIP: '10.1.1.1' };
  expect(await keyward.apiKeys.explain(made.id, asked)).toMatchObject({
    valid: false,
    code: 'permission_denied',
    missing: ['users.list'],
    checks: expect.arrayContaining([{ check: 'address', code: 'ip_denied', passed: true }]),
  });
  expect(await keyward.apiKeys.explain(made.id)).toMatchObject({ code: 'ip_denied' });
  const cleared = { permissions: null, allowedIPs: null, tags: null };
  await keyward.apiKeys.update(made.id, { name: 'Tagged', ...cleared });
  expect(await keyward.apiKeys.explain(made.id)).toMatchObject({ valid: true, code: 'valid' });
});

it('creates keys with the prefix of their project', async () => {
  const project = await keyward.projects.create({ name: 'Acme', keyPrefix: 'acme_' });
  const made = await keyward.apiKeys.create({ name: 'Prefixed', projectId: project.id });
  expect(made.key).toMatch(/^acme_/);
  expect(await keyward.projects.update(project.id, { name: 'Acme Inc.' })).toMatchObject({
    name: 'Acme Inc.',
    keyPrefix: 'acme_',
  });
  expect(await keyward.projects.update(project.id, { keyPrefix: null })).toMatchObject({
    name: 'Acme Inc.',
    keyPrefix: null,
  });
  expect(await keyward.validate(made.key)).toMatchObject({ valid: true });
  // The other tests leave out `projectId`, which is possible with one active project.
  await keyward.projects.deactivate(project.id);
});

it('throws an error with code, status and request id, and without the access key', async () => {
  const error = await failure(keyward.projects.get('prj_unknown'));
  expect(error).toBeInstanceOf(KeywardError);
  expect(error).not.toBeInstanceOf(KeywardUnavailable);
  expect(error).toMatchObject({
    code: 'project_not_found',
    statusCode: 404,
    docs: 'https://keyward.example/docs/errors/project_not_found',
    requestId: expect.stringMatching(/^req_/),
    retryAfterSeconds: null,
  });
  expect(JSON.stringify(error) + error.stack).not.toContain(app.accessKey);
});

it('creates one key for two calls with the same idempotency key', async () => {
  const body = { name: 'once' };
  const first = await keyward.apiKeys.create(body, { idempotencyKey: 'same' });
  const second = await keyward.apiKeys.create(body, { idempotencyKey: 'same' });
  expect(second).toEqual(first);
  expect((await keyward.apiKeys.create(body)).id).not.toBe(first.id);
  const other = await failure(keyward.apiKeys.create({ name: 'x' }, { idempotencyKey: 'same' }));
  expect(other.code).toBe('idempotency_mismatch');
});

it('reads a list item by item, by page, and from a cursor', async () => {
  const names = ['n1', 'n2', 'n3', 'n4', 'n5'];
  for (const name of names) {
    await keyward.apiKeys.create({ name, customAccountId: 'paged' });
  }
  const query = { customAccountId: 'paged', limit: 2 };
  const seen: string[] = [];
  for await (const { name } of keyward.apiKeys.list(query)) seen.push(name);
  expect(seen).toEqual(names.toReversed());
  const first = await keyward.apiKeys.list(query).page();
  expect(first.items.map(({ name }) => name)).toEqual(['n5', 'n4']);
  const cursor = first.nextCursor ?? expect.unreachable('there are more');
  const rest = await keyward.apiKeys.list({ ...query, cursor }).toArray();
  expect(rest.map(({ name }) => name)).toEqual(['n3', 'n2', 'n1']);
  const skipped = await keyward.apiKeys.list({ ...query, offset: 1 }).toArray();
  expect(skipped.map(({ name }) => name)).toEqual(['n4', 'n3', 'n2', 'n1']);
  const both = await failure(keyward.apiKeys.list({ ...query, cursor, offset: 1 }).page());
  expect(both.code).toBe('invalid_query');
  const last = await keyward.apiKeys.list({ ...query, limit: 5 }).page();
  expect(last.nextCursor).toBeNull();
  const taken = await keyward.apiKeys.list({ ...query, cursor }).take(2);
  expect(taken.items.map(({ name }) => name)).toEqual(['n3', 'n2']);
  const [end] = await keyward.apiKeys.list({ ...query, cursor: taken.nextCursor! }).toArray();
  expect(end?.name).toBe('n1');
  expect(await keyward.apiKeys.list(query).take(6)).toMatchObject({ nextCursor: null });
  const pages: number[] = [];
  for await (const { items } of keyward.apiKeys.list(query).pages()) pages.push(items.length);
  expect(pages).toEqual([2, 2, 1]);
});

it('filters by unset fields', async () => {
  const keys = await keyward.apiKeys.list({ customAccountId: 'null' }).toArray();
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.every(({ customAccountId }) => customAccountId === null)).toBe(true);
});

it('escapes path parameters, and rejects an empty one', async () => {
  const error = await failure(keyward.apiKeys.get('../access-keys?x=1#'));
  expect(error.code).toBe('key_not_found');
  await expect(async () => keyward.apiKeys.get('')).rejects.toThrow(TypeError);
});

it('calls the other resources', async () => {
  const project = await keyward.projects.create({ name: 'Second', env: 'test' });
  expect(await keyward.projects.update(project.id, { name: 'Two' })).toMatchObject({ name: 'Two' });
  const access = await keyward.accessKeys.create({ name: 'ci', projectId: project.id });
  const ci = new Keyward({ ...app.sdkOptions, url: `${app.url}/`, accessKey: access.key });
  expect((await ci.projects.list().toArray()).map(({ id }) => id)).toEqual([project.id]);
  expect(await keyward.projects.deactivate(project.id)).toBe(true);
  expect((await failure(ci.projects.list().page())).statusCode).toBe(401);
  const [account] = await keyward.accounts.list().toArray();
  expect(account?.id).toBe(app.accountId);
  expect(await keyward.webhooks.topics()).toContain('api-key.firstUsed');
  expect((await keyward.auditLogs.list({ limit: 3 }).page()).items).toHaveLength(3);
  expect(await keyward.server.product()).toMatchObject({ name: 'Keyward' });
  expect(await keyward.analytics.projectTotals().toArray()).toEqual(expect.any(Array));
});

it('rejects an unsafe or incomplete address', () => {
  for (const url of [
    '',
    'keys.example',
    'ftp://keys.example',
    'https://me:pw@keys.example',
    'https://k.example?x',
  ]) {
    expect(() => new Keyward({ url, accessKey: 'x' }), url).toThrow(TypeError);
  }
});
