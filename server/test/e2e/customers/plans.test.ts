import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeEvents } from '../../harness/store-events.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
  await storeEvents(test.client);
});
afterAll(() => test.close());

const DAY = { name: 'day', rateLimit: 100, rateLimitTtl: 86_400 };
const WHOLE_DAY = { ...DAY, per: 'key', algorithm: 'fixed', mode: 'enforce' };

const createPlan = async (fields: object = {}) =>
  (await test.client.post('/plans', { name: 'Pro', projectId: test.projectId, ...fields })).body;
const createKey = async (fields: object = {}) =>
  (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...fields })).body;
const createCustomer = async (customAccountId: string, fields: object = {}) => {
  const body = { customAccountId, projectId: test.projectId, ...fields };
  return (await test.client.post('/customers', body)).body;
};
const otherProject = async () => (await test.client.post('/projects', { name: 'Other' })).body.id;
const permissionsOf = async (key: string) =>
  (await test.client.post('/api-keys/auth', { key })).body.permissions;
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

describe('plans', () => {
  it('are created with their settings, in the only project unless another is given', async () => {
    const { status, body } = await test.client.post('/plans', {
      name: 'Pro',
      permissions: ['documents.*'],
      limits: [DAY],
      allowedIPs: ['10.0.0.0/8'],
    });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^pln_/),
        projectId: test.projectId,
        name: 'Pro',
        permissions: ['documents.*'],
        limits: [WHOLE_DAY],
        allowedIPs: ['10.0.0.0/8'],
        credits: null,
        createdAt: '2030-01-01T00:00:00.000Z',
        updatedAt: '2030-01-01T00:00:00.000Z',
      },
    ]);
    expect((await test.client.get(`/plans/${body.id}`)).body).toEqual(body);
  });

  it('are updated field by field, unchanged if nothing differs, and cleared by null', async () => {
    const plan = await createPlan({ permissions: ['a'], limits: [DAY] });
    test.clock.now += 1000;
    const same = await test.client.patch(`/plans/${plan.id}`, { name: 'Pro', limits: [DAY] });
    expect(same.body).toEqual(plan);
    const updatedAt = new Date(test.clock.now).toISOString();
    const changed = await test.client.patch(`/plans/${plan.id}`, { permissions: null });
    expect(changed.body).toEqual({ ...plan, permissions: [], updatedAt });
    const nothing = await test.client.patch(`/plans/${plan.id}`, {});
    expect(codeOf(nothing)).toEqual([400, 'invalid_body']);
  });

  it('are not updated if they have changed since they were read', async () => {
    const plan = await createPlan();
    test.clock.now += 1000;
    const ifMatch = { 'if-match': `"${plan.updatedAt}"` };
    const first = await test.client.patch(`/plans/${plan.id}`, { name: 'One' }, ifMatch);
    expect(first.status).toBe(200);
    const second = await test.client.patch(`/plans/${plan.id}`, { name: 'Two' }, ifMatch);
    expect(codeOf(second)).toEqual([412, 'edit_conflict']);
  });

  it('are created once with an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'one-plan' };
    const body = { name: 'Once', projectId: test.projectId };
    const [a, b] = [
      await test.client.post('/plans', body, headers),
      await test.client.post('/plans', body, headers),
    ];
    expect(b.body).toEqual(a.body);
  });

  it('are listed newest first, by project and in pages', async () => {
    const projectId = await otherProject();
    const made = [];
    for (let n = 0; n < 3; n++) made.push(await createPlan({ projectId, name: `${n}` }));
    const list = await test.client.get(`/plans?projectId=${projectId}`);
    expect(list.body).toEqual(made.toReversed());
    const page = await test.client.get(`/plans?projectId=${projectId}&limit=2`);
    expect(page.body).toHaveLength(2);
    const next = /<([^>]+)>/.exec(page.headers.get('link')!)![1]!;
    const rest = await test.client.get(next.replace('https://keyward.example', ''));
    expect(rest.body).toEqual([made[0]]);
  });

  it.each([
    [{ limits: [DAY, DAY] }, 'limits: two limits have the name "day".'],
    [{ limits: [{ ...DAY, name: 'default' }] }, /"default" is reserved/],
    [{ limits: [...'abcdefghi'].map((name) => ({ ...DAY, name })) }, /limits/],
    [{ limits: [{ ...DAY, name: 'Day' }] }, /limits/],
    [{ limits: [{ ...DAY, rateLimit: 0 }] }, /limits/],
    [{ limits: [{ ...DAY, per: 'project' }] }, /limits/],
    [{ permissions: ['a b'] }, /permissions/],
    [{ allowedIPs: ['10.0.0.0/40'] }, /allowedIPs/],
    [{ name: '' }, /name/],
    [{ unknown: 1 }, /unknown/],
  ])('cannot be created with %j', async (fields, message) => {
    const { status, body } = await test.client.post('/plans', {
      name: 'Bad',
      projectId: test.projectId,
      ...fields,
    });
    expect([status, body.code]).toEqual([400, 'invalid_body']);
    expect(body.message).toMatch(message);
  });

  it('emit an event and audit rows when they change', async () => {
    const plan = await createPlan();
    test.clock.now += 1000;
    const { body: changed } = await test.client.patch(`/plans/${plan.id}`, { name: 'Better' });
    await test.client.delete(`/plans/${plan.id}`);
    const { body: rows } = await test.client.get(`/audit-logs?target=${plan.id}`);
    expect(rows.map((row: { action: string }) => row.action)).toEqual([
      'plan.deleted',
      'plan.updated',
      'plan.created',
    ]);
    expect(rows[1]).toMatchObject({ before: plan, after: changed, targetType: 'plan' });
    const events = await test.storage.read
      .selectFrom('events')
      .select(['data', 'project_id'])
      .where('type', '=', 'plan.updated')
      .orderBy('id', 'desc')
      .execute();
    expect(JSON.parse(events[0]!.data)).toEqual(changed);
    expect(events[0]!.project_id).toBe(test.projectId);
  });
});

describe('deleting a plan', () => {
  it('is refused while keys, customers or the project use it', async () => {
    const plan = await createPlan();
    const key = await createKey({ planId: plan.id });
    await createKey({ planId: plan.id });
    const customer = await createCustomer('user-of-plan', { planId: plan.id });
    const remove = () => test.client.delete(`/plans/${plan.id}`);
    const refused = await remove();
    expect(codeOf(refused)).toEqual([409, 'plan_in_use']);
    expect(refused.body.message).toMatch(/^This plan is used by 2 keys and 1 customer\./);
    const listed = await test.client.get(`/api-keys?planId=${plan.id}`);
    expect(listed.body).toHaveLength(2);
    expect((await test.client.get(`/customers?planId=${plan.id}`)).body).toEqual([customer]);
    for (const { id } of listed.body)
      await test.client.patch(`/api-keys/${id}`, { name: 'Key', planId: null });
    await test.client.delete(`/customers/${customer.id}`);
    await test.client.patch(`/projects/${test.projectId}`, { defaultPlanId: plan.id });
    expect((await remove()).body.message).toMatch(/default of its project/);
    await test.client.patch(`/projects/${test.projectId}`, { defaultPlanId: null });
    expect((await remove()).body).toBe(true);
    expect(codeOf(await remove())).toEqual([404, 'plan_not_found']);
    expect((await test.client.get(`/api-keys/${key.id}`)).body.planId).toBeNull();
  });
});

describe('the plan of a key', () => {
  it('applies at once, and so does every change of it', async () => {
    const plan = await createPlan({ permissions: ['one'] });
    const { id, key } = await createKey({ planId: plan.id });
    expect(await permissionsOf(key)).toEqual(['one']);
    await test.client.patch(`/plans/${plan.id}`, { permissions: ['two'] });
    expect(await permissionsOf(key)).toEqual(['two']);
    await test.client.patch(`/api-keys/${id}`, { name: 'Key', permissions: ['own'] });
    expect(await permissionsOf(key)).toEqual(['own']);
    await test.client.patch(`/api-keys/${id}`, { name: 'Key', permissions: [], planId: null });
    expect(await permissionsOf(key)).toBeUndefined();
  });

  it('is the default plan of the project if the key has no other', async () => {
    const projectId = await otherProject();
    const plan = await createPlan({ projectId, permissions: ['by-default'] });
    const { key } = await createKey({ projectId });
    expect(await permissionsOf(key)).toBeUndefined();
    const project = await test.client.patch(`/projects/${projectId}`, { defaultPlanId: plan.id });
    expect(project.body.defaultPlanId).toBe(plan.id);
    expect(await permissionsOf(key)).toEqual(['by-default']);
    await test.client.patch(`/projects/${projectId}`, { defaultPlanId: null });
    expect(await permissionsOf(key)).toBeUndefined();
  });

  it('restricts addresses and permissions, and an explanation says so', async () => {
    const plan = await createPlan({ permissions: ['read'], allowedIPs: ['203.0.113.0/24'] });
    const { id, key } = await createKey({ planId: plan.id });
    const ask = (fields: object) => test.client.post('/api-keys/auth', { key, ...fields });
    expect((await ask({})).body.code).toBe('ip_denied');
    expect((await ask({ clientIP: '203.0.113.9', permissions: 'read' })).status).toBe(200);
    const denied = await ask({ clientIP: '203.0.113.9', permissions: 'write' });
    expect(denied.body).toMatchObject({ code: 'permission_denied', missing: ['write'] });
    const explained = await test.client.post(`/api-keys/${id}/explain`, { permissions: 'write' });
    expect(explained.body).toMatchObject({ code: 'ip_denied', missing: ['write'] });
  });

  it('is inherited by rotation and set by import', async () => {
    const plan = await createPlan({ permissions: ['one'] });
    const { id } = await createKey({ planId: plan.id, limits: [DAY] });
    const rotated = (await test.client.post(`/api-keys/${id}/rotate`)).body;
    expect(rotated).toMatchObject({ planId: plan.id, limits: [WHOLE_DAY] });
    expect(await permissionsOf(rotated.key)).toEqual(['one']);
    const elsewhere = await createPlan({ projectId: await otherProject() });
    const { body } = await test.client.post('/api-keys/import', {
      projectId: test.projectId,
      keys: [
        { name: 'a', key: 'imported-on-a-plan', planId: plan.id, limits: [DAY] },
        { name: 'b', key: 'imported-on-another', planId: elsewhere.id },
        { name: 'c', key: 'imported-on-it-too', planId: elsewhere.id },
      ],
    });
    expect(body.results).toMatchObject([
      { status: 'imported' },
      { status: 'refused', code: 'plan_not_found' },
      { status: 'refused', code: 'plan_not_found' },
    ]);
    expect(await permissionsOf('imported-on-a-plan')).toEqual(['one']);
  });

  it('must belong to the same project', async () => {
    const { id: planId } = await createPlan({ projectId: await otherProject() });
    const { id } = await createKey();
    const customer = await createCustomer('mine');
    const refused = [404, 'plan_not_found'];
    const make = (path: string, body: object) =>
      test.client.post(path, { ...body, projectId: test.projectId });
    expect(codeOf(await make('/api-keys', { name: 'Key', planId }))).toEqual(refused);
    expect(codeOf(await make('/customers', { customAccountId: 'x', planId }))).toEqual(refused);
    const change = async (path: string, body: object) =>
      codeOf(await test.client.patch(path, body));
    expect(await change(`/api-keys/${id}`, { name: 'Key', planId })).toEqual(refused);
    expect(await change(`/customers/${customer.id}`, { planId })).toEqual(refused);
    expect(await change(`/projects/${test.projectId}`, { defaultPlanId: planId })).toEqual(refused);
    const still = await test.client.get(`/api-keys?planId=${planId}`);
    expect(still.body).toEqual([]);
  });
});

describe('effective=true', () => {
  it('shows what applies to a key, and on which level it is set', async () => {
    const plan = await createPlan({
      permissions: ['plan'],
      allowedIPs: ['10.0.0.0/8'],
      limits: [DAY, { ...DAY, name: 'month' }],
    });
    await createCustomer('effective', {
      planId: plan.id,
      permissions: ['customer'],
      limits: [{ ...DAY, rateLimit: 7, per: 'customer' }],
    });
    const { id } = await createKey({
      customAccountId: 'effective',
      limits: [{ ...DAY, name: 'second' }],
    });
    const { body } = await test.client.get(`/api-keys/${id}?effective=true`);
    expect(body).toMatchObject({ planId: null, permissions: [], allowedIPs: null });
    expect(body.effective).toEqual({
      planId: plan.id,
      permissions: ['customer'],
      allowedIPs: ['10.0.0.0/8'],
      limits: [
        { ...WHOLE_DAY, rateLimit: 7, per: 'customer' },
        { ...WHOLE_DAY, name: 'month' },
        { ...WHOLE_DAY, name: 'second' },
      ],
      levels: {
        planId: 'customer',
        permissions: 'customer',
        allowedIPs: 'plan',
        credits: null,
        limits: { day: 'customer', month: 'plan', second: 'key' },
      },
      credits: null,
    });
    expect((await test.client.get(`/api-keys/${id}`)).body).not.toHaveProperty('effective');
  });
});
