import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../../src/kernel/authority.ts';
import { createMember, type TestMember } from '../../harness/member.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
let owner: TestMember;

beforeAll(async () => {
  test = await startTestApp();
  owner = await memberWith('owner');
});
afterAll(() => test.close());

const memberWith = (role: Role, projectIds?: string[]) =>
  createMember(test, [{ accountId: test.accountId, role, ...(projectIds && { projectIds }) }]);

const rolesOf = async ({ id }: TestMember) => (await owner.get(`/users/${id}/roles`)).body[0]?.role;

describe('a role', () => {
  it('takes effect with the next request after a change', async () => {
    const person = await memberWith('viewer');
    expect((await person.post('/api-keys', { name: 'No' })).status).toBe(403);
    const response = await owner.patch(`/users/${person.id}/roles`, { role: 'developer' });
    expect(response.body).toMatchObject({ userId: person.id, role: 'developer', projectIds: null });
    expect((await person.post('/api-keys', { name: 'Yes' })).status).toBe(201);
    await owner.delete(`/users/${person.id}/roles`);
    expect((await person.get('/api-keys')).body).toMatchObject({ code: 'account_required' });
  });

  it('can be limited to projects, and extended to the whole account again', async () => {
    const person = await memberWith('developer');
    const project = (await owner.post('/projects', { name: 'Other' })).body.id;
    const path = `/users/${person.id}/roles`;
    await owner.patch(path, { role: 'developer', projectIds: [project] });
    expect((await person.get(`/projects/${test.projectId}`)).status).toBe(404);
    expect((await person.get('/projects')).body.map(({ id }: { id: string }) => id)).toEqual([
      project,
    ]);
    await owner.patch(path, { role: 'developer' });
    expect((await person.get(`/projects/${test.projectId}`)).status).toBe(404);
    await owner.patch(path, { role: 'developer', projectIds: null });
    expect((await person.get(`/projects/${test.projectId}`)).status).toBe(200);
    const unknown = await owner.patch(path, { role: 'viewer', projectIds: ['prj_unknown'] });
    expect(unknown.body).toMatchObject({ code: 'project_not_found' });
  });

  it.each<[Role, Role, Role, string | null]>([
    ['admin', 'viewer', 'admin', null],
    ['admin', 'viewer', 'owner', 'grant_exceeds_own'],
    ['admin', 'owner', 'viewer', 'grant_exceeds_own'],
    ['developer', 'viewer', 'developer', 'scope_missing'],
    ['viewer', 'viewer', 'viewer', 'scope_missing'],
  ])('changed by %s from %s to %s: error %s', async (by, before, after, refused) => {
    const [actor, person] = [await memberWith(by), await memberWith(before)];
    const response = await actor.patch(`/users/${person.id}/roles`, { role: after });
    expect(response.body.code ?? null).toBe(refused);
    expect(await rolesOf(person)).toBe(refused === null ? after : before);
  });

  it('of an owner cannot be removed by an admin', async () => {
    const admin = await memberWith('admin');
    const response = await admin.delete(`/users/${owner.id}/roles`);
    expect(response.body).toMatchObject({ code: 'grant_exceeds_own' });
  });

  it('cannot be raised by the user themselves', async () => {
    const admin = await memberWith('admin');
    const response = await admin.patch(`/users/${admin.id}/roles`, { role: 'owner' });
    expect(response.body).toMatchObject({ code: 'grant_exceeds_own' });
  });

  it('can create access keys only with its own scopes', async () => {
    const admin = await memberWith('admin');
    const all = await admin.post('/access-keys', { name: 'All' });
    expect(all.body).toMatchObject({ code: 'grant_exceeds_own' });
    const some = await admin.post('/access-keys', { name: 'Some', scopes: ['keys:read'] });
    expect(some.status, some.text).toBe(201);
  });
});

describe('one project of a role', () => {
  const project = async (name: string): Promise<string> =>
    (await owner.post('/projects', { name })).body.id;
  const removeProject = (person: TestMember, projectId: string) =>
    owner.delete(`/users/${person.id}/roles?projectId=${projectId}`);

  it('can be removed, and the role ends with the last project', async () => {
    const [first, second] = [await project('First'), await project('Second')];
    const person = await memberWith('developer', [first, second]);
    expect((await removeProject(person, first)).body).toBe(true);
    const [role] = (await owner.get(`/users/${person.id}/roles`)).body;
    expect(role).toMatchObject({ role: 'developer', projectIds: [second] });
    expect((await person.get(`/projects/${first}`)).status).toBe(404);
    expect((await person.get(`/projects/${second}`)).status).toBe(200);

    expect((await removeProject(person, first)).body).toMatchObject({
      code: 'user_not_found',
      message: 'This user has no role in this project.',
    });
    expect((await removeProject(person, second)).body).toBe(true);
    expect((await owner.get(`/users/${person.id}/roles`)).status).toBe(404);
  });

  it('cannot be removed from a role for the whole account', async () => {
    const person = await memberWith('developer');
    const response = await removeProject(person, test.projectId);
    expect([response.status, response.body.code]).toEqual([409, 'role_account_wide']);
    expect(await rolesOf(person)).toBe('developer');
  });

  it('must belong to the account', async () => {
    const person = await memberWith('developer', [test.projectId]);
    expect((await removeProject(person, 'prj_unknown')).body).toMatchObject({
      code: 'project_not_found',
    });
    expect((await removeProject(person, '')).body).toMatchObject({ code: 'invalid_query' });
    expect(await rolesOf(person)).toBe('developer');
  });

  it('is not enough to see or change a role that has more projects', async () => {
    const other = await project('Shared');
    const person = await memberWith('developer', [other, test.projectId]);
    const teammates = async (caller: TestMember) =>
      (await caller.get('/teammates')).body.map(({ id }: { id: string }) => id);
    const path = `/users/${person.id}/roles`;
    const both = await memberWith('admin', [test.projectId, other]);
    expect(await teammates(both)).toContain(person.id);
    expect((await both.get(path)).status).toBe(200);
    expect((await both.patch(path, { role: 'viewer' })).status).toBe(200);
    const one = await memberWith('admin', [test.projectId]);
    expect(await teammates(one)).not.toContain(person.id);
    expect((await one.get(path)).status).toBe(404);
  });

  it('cannot be removed by a user who could not grant the role there', async () => {
    const other = await project('Elsewhere');
    const person = await memberWith('developer', [test.projectId, other]);
    const narrowed = await memberWith('admin', [test.projectId]);
    const response = await narrowed.delete(`/users/${person.id}/roles?projectId=${test.projectId}`);
    expect(response.body).toMatchObject({ code: 'user_not_found' });
    expect(await rolesOf(person)).toBe('developer');
  });
});

describe('the account of a role', () => {
  it.each(['body', 'query'])('may be named in the %s, and must be the caller’s', async (where) => {
    const person = await memberWith('viewer');
    const change = (accountId: string) =>
      where === 'body'
        ? test.client.patch(`/users/${person.id}/roles`, { role: 'developer', accountId })
        : test.client.patch(`/users/${person.id}/roles?accountId=${accountId}`, {
            role: 'developer',
          });
    expect((await change('acc_unknown')).body).toMatchObject({ code: 'account_not_found' });
    expect(await rolesOf(person)).toBe('viewer');
    expect((await change(test.accountId)).status).toBe(200);
    expect(await rolesOf(person)).toBe('developer');
  });

  it('must not differ between the body and the query', async () => {
    const person = await memberWith('viewer');
    const path = `/users/${person.id}/roles?accountId=${test.accountId}`;
    const { status, body } = await test.client.patch(path, {
      role: 'developer',
      accountId: 'acc_another',
    });
    expect([status, body.code]).toEqual([400, 'invalid_body']);
  });

  it('must be the caller’s when a role is removed', async () => {
    const person = await memberWith('viewer');
    const path = `/users/${person.id}/roles?accountId=acc_unknown`;
    expect((await test.client.delete(path)).body).toMatchObject({ code: 'account_not_found' });
    expect(await rolesOf(person)).toBe('viewer');
  });
});

describe('the last owner', () => {
  let accountId: string;
  let last: TestMember;
  beforeAll(async () => {
    last = await createMember(test, []);
    accountId = (await last.post('/accounts', { name: 'With one owner' })).body.id;
  });

  it('cannot leave or get a lower role', async () => {
    const projectId = (await last.post('/projects', { name: 'One' })).body.id;
    for (const response of [
      await last.patch(`/users/${last.id}/roles`, { role: 'admin' }),
      await last.patch(`/users/${last.id}/roles`, { role: 'owner', projectIds: [projectId] }),
      await last.delete(`/users/${last.id}/roles`),
      await last.delete(`/me/accounts/${accountId}`),
    ])
      expect([response.status, response.body.code]).toEqual([409, 'last_owner']);
    expect((await last.get('/me')).body.accounts).toMatchObject([{ accountId, role: 'owner' }]);
  });

  it('remains after concurrent attempts to leave', async () => {
    for (let round = 0; round < 8; round++) {
      const first = await createMember(test, []);
      const { id } = (await first.post('/accounts', { name: 'Race' })).body;
      const memberships = [{ accountId: id, role: 'owner' as const }];
      const others = await Promise.all([1, 2, 3].map(() => createMember(test, memberships)));
      const responses = await Promise.all(
        [first, ...others].map((person) => person.delete(`/me/accounts/${id}`)),
      );
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 409]);
    }
  });
});

describe('the account of a request', () => {
  it('must be named by a user with several accounts', async () => {
    const person = await memberWith('viewer');
    const made = await person.post('/accounts', { name: 'Hers' });
    expect(made.status, made.text).toBe(201);
    expect((await person.get('/projects')).body).toMatchObject({ code: 'account_required' });
    const projects = await person.get(`/projects?accountId=${test.accountId}`);
    expect(projects.body.map(({ id }: { id: string }) => id)).toContain(test.projectId);
    expect((await person.get(`/accounts/${made.body.id}`)).body.name).toBe('Hers');
    person.useAccount(made.body.id);
    expect((await person.get('/projects')).body).toEqual([]);
    expect((await person.get(`/projects/${test.projectId}`)).status).toBe(404);
    expect((await person.post('/projects', { name: 'First' })).status).toBe(201);
    person.useAccount(test.accountId);
    expect((await person.post('/projects', { name: 'No' })).body).toMatchObject({
      code: 'scope_missing',
    });
    expect((await person.get('/accounts')).body).toHaveLength(2);
    person.useAccount('acc_other');
    expect((await person.get('/projects')).body).toMatchObject({ code: 'account_not_found' });
  });

  it('separates idempotent requests of two accounts', async () => {
    const person = await memberWith('owner');
    const { id } = (await person.post('/accounts', { name: 'Second' })).body;
    const send = (account: string) => {
      person.useAccount(account);
      return person.post('/projects', { name: 'Same' }, { 'idempotency-key': 'one' });
    };
    expect((await send(id)).status).toBe(201);
    expect((await send(test.accountId)).status).toBe(422);
    expect((await send(id)).headers.get('idempotent-replayed')).toBe('true');
    await person.delete(`/users/${person.id}/roles`);
  });
});

describe('teammates', () => {
  it('are listed in pages, without private data', async () => {
    const list = await owner.get('/teammates');
    expect(list.body.length).toBeGreaterThan(2);
    expect(list.text).not.toMatch(/password|secret|token/i);
    const first = await owner.get('/teammates?limit=1');
    expect(first.body).toEqual([list.body[0]]);
    expect(first.headers.get('link')).toContain('rel="next"');
  });

  it('are visible to a user with one project if their role has only this project', async () => {
    const mine = await memberWith('viewer', [test.projectId]);
    const beside = await memberWith('viewer', [test.projectId]);
    const ids = (await mine.get('/teammates')).body.map(({ id }: { id: string }) => id);
    expect(ids).toContain(mine.id);
    expect(ids).toContain(beside.id);
    expect(ids).not.toContain(owner.id);
    expect((await mine.get(`/users/${owner.id}/roles`)).status).toBe(404);
  });

  it('are listed by the projects of their role', async () => {
    const other = (await owner.post('/projects', { name: 'Listed' })).body.id;
    const inside = await memberWith('viewer', [test.projectId, other]);
    const outside = await memberWith('viewer', [test.projectId]);
    const response = await test.client.get(`/teammates?projectId=${other}`);
    const ids = response.body.map(({ id }: { id: string }) => id);
    expect(ids).toContain(inside.id);
    expect(ids).toContain(owner.id);
    expect(ids).not.toContain(outside.id);
    expect((await outside.get(`/teammates?projectId=${other}`)).status).toBe(404);
    expect((await owner.get('/teammates?projectId=prj_%25')).body).toMatchObject({
      code: 'project_not_found',
    });
  });
});
