import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeEvents } from '../../harness/store-events.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
  await storeEvents(test.client);
});
afterAll(() => test.close());

let number = 0;
const createCustomer = async (fields: object = {}) =>
  (
    await test.client.post('/customers', {
      customAccountId: `customer-${number++}`,
      projectId: test.projectId,
      ...fields,
    })
  ).body;
const createKey = async (fields: object = {}) =>
  (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...fields })).body;
const permissionsOf = async (key: string) =>
  (await test.client.post('/api-keys/auth', { key })).body.permissions;
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

describe('customers', () => {
  it('are created, and read by their id or by your own', async () => {
    const given = {
      customAccountId: 'acme / größe?',
      name: 'Acme',
      email: 'ops@acme.example',
      customMetaData: { seats: 3 },
      tags: ['beta'],
      permissions: ['a'],
      allowedIPs: ['10.0.0.0/8'],
    };
    const { status, body } = await test.client.post('/customers', given);
    expect([status, body]).toEqual([
      201,
      {
        ...given,
        id: expect.stringMatching(/^cus_/),
        projectId: test.projectId,
        planId: null,
        anchor: null,
        limits: [],
        credits: null,
        createdAt: '2030-01-01T00:00:00.000Z',
        updatedAt: '2030-01-01T00:00:00.000Z',
      },
    ]);
    expect((await test.client.get(`/customers/${body.id}`)).body).toEqual(body);
    const path = `/customers/${encodeURIComponent(given.customAccountId)}`;
    expect((await test.client.get(`${path}?projectId=${test.projectId}`)).body).toEqual(body);
    expect(codeOf(await test.client.get(path))).toEqual([404, 'customer_not_found']);
  });

  it('exist once in a project', async () => {
    const { customAccountId } = await createCustomer();
    const again = await test.client.post('/customers', {
      customAccountId,
      projectId: test.projectId,
    });
    expect(codeOf(again)).toEqual([409, 'customer_exists']);
    const { body: project } = await test.client.post('/projects', { name: 'Other' });
    expect((await createCustomer({ customAccountId, projectId: project.id })).projectId).toBe(
      project.id,
    );
  });

  it('are updated field by field, by either id, and cleared by null', async () => {
    const made = await createCustomer({ name: 'A', tags: ['x'], customMetaData: { a: 1 } });
    test.clock.now += 1000;
    const path = `/customers/${made.customAccountId}?projectId=${test.projectId}`;
    expect((await test.client.patch(path, { name: 'A' })).body).toEqual(made);
    const { body } = await test.client.patch(path, { name: null, customMetaData: { b: 2 } });
    const updatedAt = new Date(test.clock.now).toISOString();
    expect(body).toEqual({ ...made, name: null, customMetaData: { b: 2 }, updatedAt });
    const ifMatch = { 'if-match': `"${made.updatedAt}"` };
    const late = await test.client.patch(`/customers/${made.id}`, { name: 'B' }, ifMatch);
    expect(codeOf(late)).toEqual([412, 'edit_conflict']);
  });

  it('are found by a part of their id, name or address, and by tags', async () => {
    const { body: project } = await test.client.post('/projects', { name: 'Searched' });
    const inside = { projectId: project.id };
    const one = await createCustomer({ ...inside, name: 'Blue Ltd', tags: ['eu', 'beta'] });
    const two = await createCustomer({ ...inside, email: 'hello@blue.example', tags: ['eu'] });
    const three = await createCustomer({
      ...inside,
      customAccountId: 'other_100%',
      name: 'Ünited',
    });
    const search = async (query: string) =>
      (await test.client.get(`/customers?projectId=${project.id}&${query}`)).body.map(
        ({ id }: { id: string }) => id,
      );
    expect(await search('search=BLUE')).toEqual([two.id, one.id]);
    expect(await search('search=r_100%25')).toEqual([three.id]);
    expect(await search('search=r%25100')).toEqual([]);
    expect(await search('search=ÜNITED')).toEqual([three.id]);
    expect(await search(`search=${one.id}`)).toEqual([one.id]);
    expect(await search('tag=eu')).toEqual([two.id, one.id]);
    expect(await search('tag=eu&tag=beta')).toEqual([one.id]);
    expect(await search('tag=EU')).toEqual([]);
    expect(await search('limit=2')).toEqual([three.id, two.id]);
  });

  it.each([
    [{ customAccountId: '' }, /customAccountId/],
    [{ customAccountId: 'x'.repeat(257) }, /customAccountId/],
    [{ customAccountId: 'null' }, /customAccountId/],
    [{ email: 'no address' }, /email/],
    [{ tags: ['A'] }, /tags/],
    [{ limits: [{ name: 'default', rateLimit: 1, rateLimitTtl: 1 }] }, /default/],
    [{ permissions: ['a b'] }, /permissions/],
    [{ customMetaData: { text: 'x'.repeat(17_000) } }, /customMetaData/],
  ])('cannot be created with %j', async (fields, message) => {
    const { status, body } = await test.client.post('/customers', {
      customAccountId: 'bad',
      projectId: test.projectId,
      ...fields,
    });
    expect([status, body.code]).toEqual([400, 'invalid_body']);
    expect(body.message).toMatch(message);
  });

  it('emit an event when they change, and are audited', async () => {
    const made = await createCustomer({ name: 'A' });
    test.clock.now += 1000;
    const { body: changed } = await test.client.patch(`/customers/${made.id}`, { name: 'B' });
    await test.client.delete(`/customers/${made.id}`);
    const { body: rows } = await test.client.get(`/audit-logs?target=${made.id}`);
    expect(rows).toMatchObject([
      { action: 'customer.deleted', before: changed, after: null },
      { action: 'customer.updated', before: made, after: changed },
      { action: 'customer.created', before: null, after: made },
    ]);
    const events = await test.storage.read
      .selectFrom('events')
      .select('data')
      .where('type', '=', 'customer.updated')
      .orderBy('id', 'desc')
      .execute();
    expect(JSON.parse(events[0]!.data)).toEqual(changed);
  });
});

describe('the keys of a customer', () => {
  it('get its settings at once: when it is created, changed and deleted', async () => {
    const customAccountId = 'at-once';
    const { key } = await createKey({ customAccountId });
    expect(await permissionsOf(key)).toBeUndefined();
    const { id } = await createCustomer({ customAccountId, permissions: ['one'] });
    expect(await permissionsOf(key)).toEqual(['one']);
    await test.client.patch(`/customers/${id}`, { permissions: ['two'] });
    expect(await permissionsOf(key)).toEqual(['two']);
    const { body: plan } = await test.client.post('/plans', {
      ...{ name: 'P', projectId: test.projectId, permissions: ['plan'] },
    });
    await test.client.patch(`/customers/${id}`, { permissions: null, planId: plan.id });
    expect(await permissionsOf(key)).toEqual(['plan']);
    expect((await test.client.delete(`/customers/${id}`)).body).toBe(true);
    expect(await permissionsOf(key)).toBeUndefined();
  });

  it('are those with its id in its project', async () => {
    const customer = await createCustomer({ permissions: ['mine'] });
    const { customAccountId } = customer;
    const { body: project } = await test.client.post('/projects', { name: 'Elsewhere' });
    const elsewhere = await createKey({ customAccountId, projectId: project.id });
    await createKey({ customAccountId: 'somebody-else' });
    const mine = [await createKey({ customAccountId }), await createKey({ customAccountId })];
    const masked = mine.toReversed().map(({ id }) => expect.objectContaining({ id }));
    expect((await test.client.get(`/customers/${customer.id}/keys`)).body).toEqual(masked);
    const path = `/customers/${customAccountId}/keys?projectId=${test.projectId}`;
    expect((await test.client.get(`${path}&limit=1`)).body).toEqual([masked[0]]);
    expect(await permissionsOf(elsewhere.key)).toBeUndefined();
    expect(await permissionsOf(mine[0].key)).toEqual(['mine']);
  });

  it('leave the customer when their customAccountId changes', async () => {
    const { customAccountId } = await createCustomer({ permissions: ['mine'] });
    const { id, key } = await createKey({ customAccountId });
    expect(await permissionsOf(key)).toEqual(['mine']);
    await test.client.patch(`/api-keys/${id}`, { name: 'Key', customAccountId: null });
    expect(await permissionsOf(key)).toBeUndefined();
  });
});
