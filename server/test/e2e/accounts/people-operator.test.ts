import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMember } from '../../harness/member.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createTestPerson } from '../../harness/test-person.ts';
import { operatorHeaders } from '../other-account.ts';

const OWNER = { name: 'Ada', email: 'ada@example.com', password: 'a long way from home' };
const WEEK_MS = 7 * 86_400_000;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const ownerLink = async () => {
  const path = `/accounts/${test.accountId}/owner-links`;
  const response = await test.client
    .as(null)
    .post(path, undefined, operatorHeaders(test, 'POST', path));
  expect(response.status, response.text).toBe(201);
  return response.body.link.split('#token=')[1] as string;
};

const use = (token: string) => createTestPerson(test.url).post('/auth/setup', { token, ...OWNER });

describe('a link for an owner', () => {
  it('replaces unused links', async () => {
    const first = await ownerLink();
    const second = await ownerLink();
    for (const old of [test.setupToken, first]) {
      const response = await use(old);
      expect([response.status, response.body.code]).toEqual([404, 'link_invalid']);
    }
    const info = await createTestPerson(test.url).post('/auth/setup/info', { token: second });
    expect(info.body.accountName).toBe('Default account');
    const stored = await test.storage.read.selectFrom('setup_links').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(second);
  });

  it('expires after a week', async () => {
    const token = await ownerLink();
    test.clock.now += WEEK_MS;
    expect((await use(token)).body).toMatchObject({ code: 'link_invalid' });
  });

  it('creates a new owner, or makes an existing user one', async () => {
    expect((await use(await ownerLink())).body).toEqual({ status: 'signed-in' });
    const known = await createMember(test, []);
    const token = await ownerLink();
    expect((await known.post('/auth/setup', { token })).body).toEqual({ status: 'signed-in' });
    expect((await known.get('/me')).body.accounts).toMatchObject([{ role: 'owner' }]);
    const again = await known.post('/auth/setup', { token: await ownerLink() });
    expect(again.body).toMatchObject({ code: 'already_member' });
  });
});

it.each([
  ['the whole account', false],
  ['some projects', true],
])('a link for an owner raises the role of a member of %s', async (_, isLimited) => {
  const projectIds = isLimited && [test.projectId];
  const role = { accountId: test.accountId, role: 'admin' as const };
  const member = await createMember(test, [{ ...role, ...(projectIds && { projectIds }) }]);
  const token = await ownerLink();
  expect((await member.post('/auth/setup', { token })).body).toEqual({ status: 'signed-in' });
  const owner = { role: 'owner', projectIds: null };
  expect((await member.get('/me')).body.accounts).toMatchObject([owner]);
  const [row] = (await test.client.get(`/audit-logs?target=${member.id}`)).body;
  expect(row).toMatchObject({
    action: 'user.role-updated',
    actorId: member.id,
    before: { role: 'admin', projectIds: projectIds || null },
    after: owner,
  });
  const used = await member.post('/auth/setup', { token });
  expect(used.body).toMatchObject({ code: 'link_invalid' });
});

describe('a user who is locked out', () => {
  it('loses the second factor and every session when the operator resets them, which is audited', async () => {
    const person = await createMember(test, [{ accountId: test.accountId, role: 'viewer' }]);
    await test.storage.transaction((tx) =>
      tx.updateTable('users').set({ two_factor_enabled: 1 }).where('id', '=', person.id).execute(),
    );
    const path = `/users/${encodeURIComponent(person.email)}/second-factor`;
    const headers = operatorHeaders(test, 'DELETE', path);
    expect((await test.client.as(null).delete(path, headers)).body).toBe(true);
    expect((await person.get('/me')).status).toBe(401);
    const user = await test.storage.point
      .selectFrom('users')
      .select('two_factor_enabled')
      .where('id', '=', person.id)
      .executeTakeFirst();
    expect(user?.two_factor_enabled).toBe(0);
    const log = await test.client.get('/audit-logs?action=user.two-factor-dropped');
    expect(log.body).toMatchObject([{ actorType: 'operator', targetId: person.id }]);
  });

  it('sets a new password with a link that works once', async () => {
    const [{ id }] = (await test.client.get('/teammates')).body.filter(
      ({ email }: { email: string }) => email === OWNER.email,
    );
    const path = `/users/${id}/password-links`;
    const headers = operatorHeaders(test, 'POST', path);
    const { body } = await test.client.as(null).post(path, undefined, headers);
    expect(body.link).toContain('https://keyward.example/dashboard/reset-password#token=');
    const reset = { token: body.link.split('#token=')[1], password: 'another way to go there' };
    const person = createTestPerson(test.url);
    expect((await person.post('/auth/password/reset', reset)).body).toBe(true);
    expect((await person.post('/auth/password/reset', reset)).status).toBe(404);
    const old = { email: OWNER.email, password: OWNER.password };
    expect((await person.post('/auth/sign-in', old)).status).toBe(401);
    const fresh = { email: OWNER.email, password: reset.password };
    expect((await person.post('/auth/sign-in', fresh)).status).toBe(200);
  });
});
