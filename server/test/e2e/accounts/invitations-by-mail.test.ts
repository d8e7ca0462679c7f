import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MailServer, type ReceivedMail, startMailServer } from '../../harness/mail-server.ts';
import { createMember, type TestMember } from '../../harness/member.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createTestPerson } from '../../harness/test-person.ts';

let test: TestApp;
let mails: MailServer;
let owner: TestMember;

beforeAll(async () => {
  mails = await startMailServer();
  test = await startTestApp({ realClock: true, smtp: mails.smtp });
  owner = await createMember(test, [{ accountId: test.accountId, role: 'owner' }], Date.now());
});
afterAll(async () => {
  await test.close();
  await mails.close();
});

const invite = async (email: string, role = 'developer') =>
  (await owner.post('/invitations', { emails: [email], role })).body[0];

const mailTo = (address: string) => mails.mailTo(address);

const tokenIn = ({ text }: ReceivedMail): string => /#token=([\w-]{43})/.exec(text)![1]!;

const statusOf = (id: string) => owner.get(`/invitations/${id}`);

describe('an invitation by mail', () => {
  it('reaches the user, and its link appears nowhere else', async () => {
    const made = await invite('grace@example.com');
    expect(made).toMatchObject({ link: null, emailStatus: 'queued', status: 'pending' });
    const mail = await mailTo('grace@example.com');
    expect(mail.from).toBe('keyward@example.com');
    expect(mail.text).toContain(`https://keyward.example/dashboard/invitations/${made.id}#token=`);
    expect(mail.text).toContain('Subject: Invitation to Default account');
    await expect.poll(async () => (await statusOf(made.id)).body.emailStatus).toBe('sent');
    const rows = await test.storage.read.selectFrom('mails').selectAll().execute();
    expect(rows).toEqual([]);
    expect(test.log.join()).not.toContain(tokenIn(mail));
  });

  it('is accepted once by a new user, whose address counts as verified', async () => {
    const made = await invite('new@example.com');
    const token = tokenIn(await mailTo('new@example.com'));
    const person = createTestPerson(test.url);
    const path = `/invitations/${made.id}/accept`;
    const body = { token, name: 'New Person', password: 'quite another long one' };
    const wrong = await person.post(path, { ...body, token: `${token.slice(0, -1)}_` });
    expect(wrong.body).toMatchObject({ code: 'link_invalid' });
    const nameless = await person.post(path, { token });
    expect(nameless.body).toMatchObject({ code: 'invalid_body' });
    const response = await person.post(path, body);
    expect(response.body, response.text).toEqual({ status: 'signed-in' });
    const me = (await person.get('/me')).body;
    expect(me).toMatchObject({ email: 'new@example.com', emailVerified: true });
    expect(me.accounts).toMatchObject([{ accountId: test.accountId, role: 'developer' }]);
    expect((await statusOf(made.id)).body).toMatchObject({ status: 'accepted', acceptedBy: me.id });

    const again = createTestPerson(test.url);
    const replayed = await again.post(path, { ...body, name: 'Replayed' });
    expect(replayed.body).toMatchObject({ code: 'invitation_closed' });
    expect((await again.get('/me')).status).toBe(401);
  });

  it('is accepted by one of two concurrent requests', async () => {
    const made = await invite('race@example.com');
    const token = tokenIn(await mailTo('race@example.com'));
    const body = { token, name: 'Racer', password: 'quite another long one' };
    const responses = await Promise.all(
      [1, 2].map(() => createTestPerson(test.url).post(`/invitations/${made.id}/accept`, body)),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it('is accepted by one of two signed-in users at the same time', async () => {
    for (let round = 0; round < 3; round++) {
      const made = await invite(`both-${round}@example.com`);
      const token = tokenIn(await mailTo(`both-${round}@example.com`));
      const two = await Promise.all([1, 2].map(() => createMember(test, [], Date.now())));
      const responses = await Promise.all(
        two.map((person) => person.post(`/invitations/${made.id}/accept`, { token })),
      );
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    }
  });

  it('is accepted by an existing user after signing in', async () => {
    const other = await createMember(test, [], Date.now());
    const made = await invite(other.email);
    const token = tokenIn(await mailTo(other.email));
    const path = `/invitations/${made.id}/accept`;
    const body = { token, name: 'Not me', password: 'quite another long one' };
    const unknown = await createTestPerson(test.url).post(path, body);
    expect(unknown.body).toMatchObject({ code: 'person_exists' });
    expect((await other.post(path, { token })).body).toEqual({ status: 'signed-in' });
    expect((await other.get('/me')).body.accounts).toHaveLength(1);
  });

  it('sent again replaces the previous link, and can be returned as a link', async () => {
    const made = await invite('again@example.com');
    const old = tokenIn(await mailTo('again@example.com'));
    const resent = await owner.post(`/invitations/${made.id}/resend`, { by: 'link' });
    expect(resent.body).toMatchObject({ emailStatus: null });
    const token = resent.body.link.split('#token=')[1];
    const path = `/invitations/${made.id}/accept`;
    const body = { name: 'Again', password: 'quite another long one' };
    const person = createTestPerson(test.url);
    expect((await person.post(path, { ...body, token: old })).body.code).toBe('link_invalid');
    expect((await person.post(path, { ...body, token })).status).toBe(200);
    expect((await person.get('/me')).body.emailVerified).toBe(false);
  });

  it('contains no headers, addresses or markup from names', async () => {
    const name = 'Evil\r\nBcc: victim@example.com\r\n\r\n<img src=x onerror=alert(1)>';
    const account = (await owner.post('/accounts', { name })).body;
    owner.useAccount(account.id);
    await invite('safe@example.com');
    owner.useAccount(test.accountId);
    const mail = await mailTo('safe@example.com');
    expect(mail.to).toEqual(['safe@example.com']);
    expect(mail.text).not.toMatch(/^Bcc:/m);
    const html = mail.text.slice(mail.text.indexOf('<!doctype html>'));
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;img');
  });

  it('is retried while the mail server is full, and shows that', async () => {
    mails.refusing = true;
    const made = await invite('later@example.com');
    const requestedAt = Date.now();
    const waiting = async () =>
      (await test.storage.read.selectFrom('mails').selectAll().execute())[0];
    await expect.poll(async () => (await waiting())?.attempts).toBeGreaterThan(0);
    const row = (await waiting())!;
    expect(row.due_at).toBeGreaterThan(requestedAt);
    expect(row.content).not.toContain('later@example.com');
    expect((await statusOf(made.id)).body.emailStatus).toBe('queued');
    mails.refusing = false;
    await test.storage.transaction((tx) => tx.updateTable('mails').set({ due_at: 0 }).execute());
    await invite('wakes@example.com');
    await mailTo('later@example.com');
  });

  it('that was cancelled, replaced or given as a link is not sent later', async () => {
    const queued = () => test.storage.read.selectFrom('mails').selectAll().execute();
    await expect.poll(queued).toEqual([]);
    mails.refusing = true;
    const cancelled = await invite('cancelled@example.com');
    await invite('replaced@example.com');
    const handed = await invite('handed@example.com');
    // Refused: due again in one minute. A mail that is being sent is due in five.
    const refused = async () =>
      (await queued()).filter(
        ({ attempts, due_at }) => attempts === 1 && due_at < Date.now() + 2 * 60_000,
      );
    await expect.poll(refused).toHaveLength(3);
    await owner.delete(`/invitations/${cancelled.id}`);
    const replacing = await invite('replaced@example.com');
    await owner.post(`/invitations/${handed.id}/resend`, { by: 'link' });

    const before = mails.received.length;
    mails.refusing = false;
    await test.storage.transaction((tx) => tx.updateTable('mails').set({ due_at: 0 }).execute());
    const last = await invite('last@example.com');
    await expect.poll(queued).toEqual([]);
    const sent = mails.received.slice(before).map(({ text }) => /(inv_\w+)#token=/.exec(text)![1]);
    expect(new Set(sent)).toEqual(new Set([replacing.id, last.id]));
    expect((await statusOf(cancelled.id)).body.emailStatus).toBe(null);
  });
});

describe('a forgotten password', () => {
  it('is replaced with a mailed link that works once, which ends every session', async () => {
    const made = await invite('forgets@example.com');
    const token = tokenIn(await mailTo('forgets@example.com'));
    const person = createTestPerson(test.url);
    const first = { name: 'Forgets', password: 'quite another long one' };
    await person.post(`/invitations/${made.id}/accept`, { ...first, token });
    const before = mails.received.length;
    const request = { email: 'forgets@example.com' };
    expect((await person.post('/auth/password/forgot', request)).body).toBe(true);
    await expect.poll(() => mails.received.length).toBeGreaterThan(before);
    const mail = mails.received.at(-1)!;
    expect(mail.text).toContain('https://keyward.example/dashboard/reset-password#token=');
    const [, link] = /reset-password#token=([\w-]+)/.exec(mail.text)!;
    const body = { token: link, password: 'a wholly different one' };
    const weak = await person.post('/auth/password/reset', { ...body, password: request.email });
    expect(weak.body).toMatchObject({ code: 'password_weak' });
    const done = await createTestPerson(test.url).post('/auth/password/reset', body);
    expect(done.body, done.text).toBe(true);
    expect((await person.get('/me')).status).toBe(401);
    const twice = await createTestPerson(test.url).post('/auth/password/reset', body);
    expect(twice.body).toMatchObject({ code: 'link_invalid' });
    const signIn = { email: 'forgets@example.com', password: 'a wholly different one' };
    expect((await person.post('/auth/sign-in', signIn)).status).toBe(200);
  });

  it('does not reveal whether a user exists, and sends no mail for an unknown address', async () => {
    const before = mails.received.length;
    const request = { email: 'unknown@example.com' };
    const response = await createTestPerson(test.url).post('/auth/password/forgot', request);
    expect(response.body).toBe(true);
    await invite('after@example.com');
    await mailTo('after@example.com');
    expect(mails.received.slice(before).flatMap(({ to }) => to)).toEqual(['after@example.com']);
  });
});
