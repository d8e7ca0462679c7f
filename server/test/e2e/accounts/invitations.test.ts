import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { rawDatabase } from '../raw-database.ts';

const WEEK_MS = 7 * 86_400_000;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const invite = async (email: string, body: object = {}) =>
  (await test.client.post('/invitations', { emails: [email], role: 'viewer', ...body })).body[0];
const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

describe('invitations', () => {
  it('are one per address, each with a link that is shown once and not stored', async () => {
    const { status, body } = await test.client.post('/invitations', {
      emails: ['Ada@Example.com', 'grace@example.com', 'ada@example.com'],
      role: 'developer',
      projectIds: [test.projectId],
    });
    expect(status).toBe(201);
    expect(body.map(({ email }: { email: string }) => email)).toEqual([
      'ada@example.com',
      'grace@example.com',
    ]);
    const { link, ...invitation } = body[0];
    expect(link).toMatch(
      new RegExp(`^https://keyward.example/dashboard/invitations/${invitation.id}#token=.{43}$`),
    );
    expect(invitation).toMatchObject({
      role: 'developer',
      accountId: test.accountId,
      projectIds: [test.projectId],
      status: 'pending',
      createdAt: '2030-01-01T00:00:00.000Z',
      expiresAt: '2030-01-08T00:00:00.000Z',
    });
    const read = await test.client.get(`/invitations/${invitation.id}`);
    expect(read.body).toEqual(invitation);
    const token = link.split('#token=')[1];
    expect(read.text + (await test.client.get('/invitations')).text).not.toContain(token);
    expect(test.log.join('\n')).not.toContain(token);
    expect((await rawDatabase(test)).includes(token)).toBe(false);
  });

  it('show the necessary details without a credential, and no more', async () => {
    const { id, email } = await invite('info@example.com', { role: 'admin' });
    const { body, text } = await test.client.as(null).get(`/invitations/${id}/info`);
    expect(body).toEqual({
      accountName: 'Default account',
      inviter: 'First access key',
      role: 'admin',
      status: 'pending',
    });
    expect(text).not.toContain(email);
    expect(statusAndCode(await test.client.as(null).get('/invitations/inv_none/info'))).toEqual([
      404,
      'invitation_not_found',
    ]);
  });

  it('expire', async () => {
    const { id } = await invite('late@example.com');
    test.clock.now += WEEK_MS - 1;
    const status = async () => (await test.client.get(`/invitations/${id}`)).body.status;
    expect(await status()).toBe('pending');
    test.clock.now += 1;
    expect(await status()).toBe('expired');
    expect((await test.client.as(null).get(`/invitations/${id}/info`)).body.status).toBe('expired');
    expect(statusAndCode(await test.client.patch(`/invitations/${id}`, { role: 'admin' }))).toEqual(
      [409, 'invitation_closed'],
    );
    const expired = await test.client.get('/invitations?status=expired');
    expect(expired.body.map((row: { id: string }) => row.id)).toContain(id);
    const pending = await test.client.get('/invitations?status=pending');
    expect(pending.text).not.toContain(id);
  });

  it('can be changed until they are cancelled', async () => {
    const { id } = await invite('change@example.com');
    const changed = await test.client.patch(`/invitations/${id}`, { role: 'admin' });
    expect(changed.body.role).toBe('admin');
    expect((await test.client.delete(`/invitations/${id}`)).body).toBe(true);
    expect((await test.client.delete(`/invitations/${id}`)).body).toBe(true);
    expect((await test.client.get(`/invitations/${id}`)).body.status).toBe('cancelled');
    expect(
      statusAndCode(await test.client.patch(`/invitations/${id}`, { role: 'viewer' })),
    ).toEqual([409, 'invitation_closed']);
  });

  it('are replaced by a second one to the same address', async () => {
    const first = await invite('twice@example.com');
    const second = await invite('twice@example.com');
    expect((await test.client.get(`/invitations/${first.id}`)).body.status).toBe('cancelled');
    expect((await test.client.get(`/invitations/${second.id}`)).body.status).toBe('pending');
  });

  it('grant no role above the inviter’s', async () => {
    const { body } = await test.client.post('/access-keys', {
      name: 'Inviter',
      scopes: ['invitations:write', 'keys:read'],
    });
    const refused = await test.client
      .as(body.key)
      .post('/invitations', { emails: ['x@example.com'], role: 'viewer' });
    expect(statusAndCode(refused)).toEqual([403, 'grant_exceeds_own']);
  });

  it.each([
    [{ emails: [] }, 'emails'],
    [{ emails: ['not an address'] }, 'emails'],
    [{ emails: ['a@example.com\r\nBcc: b@example.com'] }, 'emails'],
    [{ role: 'king' }, 'role'],
    [{ projectIds: [] }, 'projectIds'],
    [{ token: 'mine' }, 'token'],
  ])('with %j are a 400 that names %s', async (wrong, field) => {
    const body = { emails: ['fine@example.com'], role: 'viewer', ...wrong };
    const response = await test.client.post('/invitations', body);
    expect(statusAndCode(response)).toEqual([400, 'invalid_body']);
    expect(response.body.message).toContain(field);
  });

  it('return 404 for an unknown project', async () => {
    const body = { emails: ['a@example.com'], role: 'viewer', projectIds: ['prj_none'] };
    expect(statusAndCode(await test.client.post('/invitations', body))).toEqual([
      404,
      'project_not_found',
    ]);
  });
});
