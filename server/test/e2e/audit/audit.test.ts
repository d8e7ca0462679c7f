import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const rows = () => test.storage.point.selectFrom('audit_log').selectAll().orderBy('seq').execute();

/** Actions written by `work`, oldest first. */
async function actionsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = (await rows()).length;
  await work();
  return (await rows()).slice(before).map(({ action }) => action);
}

describe('the audit log', () => {
  it('has a row for each change of a key, and none if nothing changed', async () => {
    const { client } = test;
    const { body } = await client.post('/api-keys', { name: 'Audited' });
    const path = `/api-keys/${body.id}`;
    const rename = () => client.patch(path, { name: 'Renamed' });
    expect(await actionsOf(rename)).toEqual(['api-key.updated']);
    expect(await actionsOf(rename)).toEqual([]);
    expect(await actionsOf(() => client.delete(path))).toEqual(['api-key.deleted']);
    expect(await actionsOf(() => client.delete(path))).toEqual([]);
    const reactivate = () => client.patch(`${path}/reactivate`);
    expect(await actionsOf(reactivate)).toEqual(['api-key.reactivated']);
    expect(await actionsOf(reactivate)).toEqual([]);
    const rotate = () => client.post(`${path}/rotate`, { graceSeconds: 60 });
    expect(await actionsOf(rotate)).toEqual(['api-key.created', 'api-key.updated']);
    expect(await actionsOf(() => client.post(`${path}/rotate`))).toEqual([
      'api-key.created',
      'api-key.deleted',
    ]);
    expect(await actionsOf(() => client.delete(`${path}?permanent=true`))).toEqual([
      'api-key.erased',
    ]);
    expect(await actionsOf(() => client.get('/api-keys'))).toEqual([]);
    expect(await actionsOf(() => client.post('/api-keys', { name: '' }))).toEqual([]);
  });

  it('has a row for each change of anything else', async () => {
    const { client } = test;
    const project = async () => (await client.post('/projects', { name: 'P' })).body.id;
    const access = async () => (await client.post('/access-keys', { name: 'A' })).body.id;
    const invitation = async () =>
      (await client.post('/invitations', { emails: ['a@example.com'], role: 'viewer' })).body[0].id;
    expect(
      await actionsOf(async () => {
        const id = await project();
        await client.patch(`/projects/${id}`, { name: 'Q' });
        await client.delete(`/projects/${id}`);
        await client.patch(`/projects/${id}/reactivate`);
      }),
    ).toEqual(['project.created', 'project.updated', 'project.deleted', 'project.reactivated']);
    expect(
      await actionsOf(async () => {
        const id = await access();
        await client.patch(`/access-keys/${id}`, { name: 'B' });
        await client.post(`/access-keys/${id}/rotate`);
        await client.patch(`/access-keys/${id}/reactivate`);
      }),
    ).toEqual([
      'access-key.created',
      'access-key.updated',
      'access-key.created',
      'access-key.deleted',
      'access-key.reactivated',
    ]);
    expect(
      await actionsOf(async () => {
        const id = await invitation();
        await client.patch(`/invitations/${id}`, { role: 'admin' });
        await client.delete(`/invitations/${id}`);
      }),
    ).toEqual(['invitation.created', 'invitation.updated', 'invitation.deleted']);
    const rename = () => client.patch(`/accounts/${test.accountId}`, { name: 'New' });
    expect(await actionsOf(rename)).toEqual(['account.updated']);
  });

  it('has the actor, address, request id, and the values before and after', async () => {
    const { client } = test;
    const { body } = await client.post('/api-keys', {
      name: 'Before',
      projectId: test.projectId,
    });
    const updated = await client.patch(
      `/api-keys/${body.id}`,
      { name: 'After' },
      { 'user-agent': 'audit-test/1' },
    );
    const row = (await rows()).at(-1)!;
    const [first] = (await client.get('/access-keys?isActive=true')).body.toReversed();
    expect(row).toMatchObject({
      account_id: test.accountId,
      project_id: test.projectId,
      actor_type: 'access-key',
      actor_id: first.id,
      action: 'api-key.updated',
      target_type: 'api-key',
      target_id: body.id,
      request_id: updated.headers.get('x-request-id'),
      client_address: '127.0.0.1',
      user_agent: 'audit-test/1',
      created_at: test.clock.now,
    });
    expect(JSON.parse(row.before!)).toEqual({ ...body, key: updated.body.key });
    expect(JSON.parse(row.after!)).toEqual(updated.body);
  });

  it('contains no secret: no value, hash or token', async () => {
    const { client, projectId } = test;
    const { body: key } = await client.post('/api-keys', { name: 'S', projectId });
    const { body: rotated } = await client.post(`/api-keys/${key.id}/rotate`);
    const own = 'value-set-in-an-update';
    await client.patch(`/api-keys/${rotated.id}`, { name: 'S', key: own });
    const { body: access } = await client.post('/access-keys', { name: 'S' });
    const { body: invited } = await client.post('/invitations', {
      emails: ['secret@example.com'],
      role: 'viewer',
    });
    const text = JSON.stringify(await rows());
    for (const value of [key.key, rotated.key, own, access.key, test.accessKey]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(test.secrets.hashValue(value));
    }
    expect(text).not.toContain(invited[0].link.split('#token=')[1]);
  });
});
