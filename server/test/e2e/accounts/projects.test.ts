import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const create = async (body: object = {}) =>
  (await test.client.post('/projects', { name: 'Project', ...body })).body;
const validate = (key: string) => test.client.post(`/api-keys/auth/${key}`);
const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

describe('projects', () => {
  it('are live by default, and name their creator', async () => {
    const { status, body } = await test.client.post('/projects', { name: 'Plain' });
    expect(status).toBe(201);
    const [{ id: accessKeyId }] = (await test.client.get('/access-keys')).body;
    expect(body).toEqual({
      id: expect.stringMatching(/^prj_/),
      name: 'Plain',
      accountId: test.accountId,
      env: 'live',
      keyPrefix: null,
      defaultPlanId: null,
      units: [],
      branding: { name: null, logo: null, accentColor: null },
      portalOrigins: [],
      resources: [],
      onLeak: 'notify',
      notices: { expiryDays: [30, 7, 1], thresholds: [0.8, 1], mailTo: [] },
      usageEvents: null,
      isActive: true,
      createdBy: accessKeyId,
      createdByType: 'ACCESS_KEY',
      createdIn: 'api',
      lastChangedBy: accessKeyId,
      lastChangedByType: 'ACCESS_KEY',
      createdAt: '2030-01-01T00:00:00.000Z',
      updatedAt: '2030-01-01T00:00:00.000Z',
    });
    expect((await create({ env: 'test' })).env).toBe('test');
    expect(
      statusAndCode(await test.client.post('/projects', { name: 'No', env: 'stage' })),
    ).toEqual([400, 'invalid_body']);
  });

  it('are renamed, and do not change if the name is the same', async () => {
    const made = await create();
    test.clock.now += 1000;
    const same = await test.client.patch(`/projects/${made.id}`, { name: 'Project' });
    expect(same.body).toEqual(made);
    const renamed = await test.client.patch(`/projects/${made.id}/`, { name: 'New name' });
    expect(renamed.body).toEqual({
      ...made,
      name: 'New name',
      updatedAt: new Date(test.clock.now).toISOString(),
    });
    const refused = await test.client.patch(`/projects/${made.id}`, { name: 'X', env: 'test' });
    expect(refused.body.message).toBe('The body has the unknown field "env".');
  });

  it('are listed newest first, active or not; a project-level access key sees only its own', async () => {
    const first = await create();
    const second = await create();
    await test.client.delete(`/projects/${first.id}`);
    const { body } = await test.client.get(`/projects?accountId=${test.accountId}&limit=2`);
    expect(body.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
    const { body: inside } = await test.client.post('/access-keys', {
      name: 'Inside',
      projectId: second.id,
    });
    const seen = await test.client.as(inside.key).get('/projects');
    expect(seen.body.map(({ id }: { id: string }) => id)).toEqual([second.id]);
  });
});

describe('deleting a project', () => {
  it('revokes its keys and access keys immediately, and reactivating restores them', async () => {
    const { id } = await create();
    const { body: key } = await test.client.post('/api-keys', { name: 'In it', projectId: id });
    const { body: revoked } = await test.client.post('/api-keys', { name: 'R', projectId: id });
    await test.client.delete(`/api-keys/${revoked.id}`);
    const { body: access } = await test.client.post('/access-keys', { name: 'A', projectId: id });
    const inside = test.client.as(access.key);
    expect((await validate(key.key)).status).toBe(200);
    expect((await inside.post(`/api-keys/auth/${key.key}`)).status).toBe(200);

    test.clock.now += 1000;
    expect((await test.client.delete(`/projects/${id}`)).body).toBe(true);
    expect((await validate(key.key)).body).toMatchObject({
      statusCode: 404,
      message: 'Invalid client key',
    });
    expect(statusAndCode(await inside.post(`/api-keys/auth/${key.key}`))).toEqual([
      401,
      'credential_revoked',
    ]);
    expect((await inside.get('/projects')).status).toBe(401);
    const deleted = (await test.client.get(`/projects/${id}`)).body;
    expect(deleted.isActive).toBe(false);
    expect((await test.client.get(`/api-keys/${key.id}`)).body.isActive).toBe(true);

    test.clock.now += 1000;
    expect((await test.client.delete(`/projects/${id}`)).body).toBe(true);
    expect((await test.client.get(`/projects/${id}`)).body.updatedAt).toBe(deleted.updatedAt);

    const back = await test.client.patch(`/projects/${id}/reactivate`);
    expect(back.body.isActive).toBe(true);
    expect((await validate(key.key)).status).toBe(200);
    expect((await validate(revoked.key)).body.code).toBe('key_revoked');
    expect((await inside.get('/projects')).status).toBe(200);
    test.clock.now += 1000;
    const again = await test.client.patch(`/projects/${id}/reactivate`);
    expect(again.body).toEqual(back.body);
  });

  it('is possible with an access key of the project, which then no longer works', async () => {
    const { id } = await create();
    const { body } = await test.client.post('/access-keys', { name: 'Last', projectId: id });
    const inside = test.client.as(body.key);
    expect((await inside.delete(`/projects/${id}`)).body).toBe(true);
    expect((await inside.patch(`/projects/${id}/reactivate`)).status).toBe(401);
  });
});

it('projects accept new keys only while they are active', async () => {
  const { id } = await create();
  const make = () => test.client.post('/api-keys', { name: 'Key', projectId: id });
  for (let round = 0; round < 3; round++) {
    expect((await make()).status).toBe(201);
    expect((await test.client.delete(`/projects/${id}`)).status).toBe(200);
    expect((await make()).status).toBe(409);
    expect((await test.client.patch(`/projects/${id}/reactivate`)).status).toBe(200);
  }
});
