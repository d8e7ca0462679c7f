import { argon2Sync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepExpiredLogins } from '../../src/features/people/index.ts';
import { KnownBrowsers } from '../../src/features/people/login/sign-in/known-browsers.ts';
import { operatorHeaders } from '../e2e/other-account.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { createTestPerson, type TestPerson } from '../harness/test-person.ts';
import { totpCode } from '../harness/totp.ts';

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'a long way from home' };
const COOKIE = '__Host-keyward.browser';
/** An address that the attacker and Ada share. */
const SHARED = '203.0.113.1';
const HOUR_MS = 3_600_000;

let test: TestApp;
let ada: TestPerson;

/** One user under attack; each test continues from the state of the previous one. */
beforeAll(async () => {
  test = await startTestApp({ trustedProxies: ['127.0.0.0/8'], startAt: Date.now() });
  ada = createTestPerson(test.url);
  const made = await ada.post('/auth/setup', { token: test.setupToken, ...ADA });
  expect(made.status, made.text).toBe(200);
  await storeCheapHash(ADA.password);
});
afterAll(() => test.close());

/** Replaces every password hash with a cheap one, because hundreds of guesses follow. */
async function storeCheapHash(secret: string): Promise<void> {
  const nonce = randomBytes(16);
  const cost = { memory: 8, passes: 1, parallelism: 1 };
  const message = Buffer.from(secret);
  const tag = argon2Sync('argon2id', { message, nonce, tagLength: 32, ...cost });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  const password = `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`;
  await test.storage.transaction((tx) => tx.updateTable('credentials').set({ password }).execute());
}

const browser = () => createTestPerson(test.url);
const from = (address: string) => ({ 'x-forwarded-for': address });

const signIn = (person: TestPerson, address: string, password = ADA.password) =>
  person.post('/auth/sign-in', { email: ADA.email, password }, from(address));

/** Uses up the limit for all unknown browsers together, and the limit of the shared address. */
async function attack(): Promise<void> {
  for (let n = 0; n < 50; n += 1)
    await Promise.all([1, 2].map((m) => signIn(browser(), `10.${n}.${m}.1`, 'not the password')));
  for (let n = 0; n < 3; n++)
    expect((await signIn(browser(), SHARED, 'not the password')).status).toBe(401);
  const response = await signIn(browser(), SHARED);
  expect([response.status, response.body.code]).toEqual([429, 'sign_in_throttled']);
  const wait = Number(response.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(3600);
}

describe('a user whose password is guessed from many addresses', () => {
  beforeAll(attack, 300_000);

  it('can sign in with a browser used before', async () => {
    const before = ada.cookies.get(COOKIE);
    const response = await signIn(ada, SHARED);
    expect(response.status, response.text).toBe(200);
    expect(ada.cookies.get(COOKIE)).not.toBe(before);
    const line = ada.setCookies.findLast((each) => each.startsWith(COOKIE));
    expect(line).toMatch(/; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const rows = await test.storage.read.selectFrom('known_browsers').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(ada.cookies.get(COOKIE));
    expect(rows).toHaveLength(1);
  });

  it('can sign in with a new browser from an address without guesses', async () => {
    const response = await signIn(browser(), '198.51.100.7');
    expect(response.status, response.text).toBe(200);
  });

  it('is not throttled when signing in with a passkey, even from the address of the attacker', async () => {
    const options = await browser().post('/auth/sign-in/passkey/options', {}, from(SHARED));
    expect(options.status, options.text).toBe(200);
    const response = await browser().post(
      '/auth/sign-in/passkey',
      { response: { id: 'none' } },
      from(SHARED),
    );
    expect(response.body).toMatchObject({ code: 'passkey_failed' });
  });

  it('can sign in after resetting the password with a link, in a browser that is known from then on', async () => {
    const path = `/users/${ADA.email}/password-links`;
    const made = await test.client
      .as(null)
      .post(path, undefined, operatorHeaders(test, 'POST', path));
    const token = made.body.link.split('#token=')[1];
    const person = browser();
    const reset = await person.post(
      '/auth/password/reset',
      { token, password: ADA.password },
      from(SHARED),
    );
    expect(reset.status, reset.text).toBe(200);
    expect((await signIn(person, SHARED)).status).toBe(200);
    // All other browsers are unknown again.
    expect((await signIn(ada, SHARED)).status).toBe(429);
    ada = person;
  });

  it('has no other known browser after signing out everywhere else', async () => {
    const elsewhere = browser();
    expect((await signIn(elsewhere, '198.51.100.8')).status).toBe(200);
    expect((await signIn(elsewhere, SHARED)).status).toBe(200);
    expect((await ada.delete('/auth/sessions')).status).toBe(200);
    expect((await signIn(elsewhere, SHARED)).status).toBe(429);
    expect((await signIn(ada, SHARED)).status).toBe(200);
  });

  it('has no other known browser after changing the password', async () => {
    const elsewhere = browser();
    expect((await signIn(elsewhere, '198.51.100.9')).status).toBe(200);
    const change = { currentPassword: ADA.password, newPassword: 'yet another long way home' };
    const changed = await ada.post('/auth/password', change);
    expect(changed.status, changed.text).toBe(200);
    ADA.password = change.newPassword;
    expect((await signIn(elsewhere, SHARED)).status).toBe(429);
    expect((await signIn(ada, SHARED)).status).toBe(200);
  });

  it('is not recognized in a browser with a forged cookie', async () => {
    const otherBrowser = browser();
    otherBrowser.cookies.set(COOKIE, 'A'.repeat(43));
    expect((await signIn(otherBrowser, SHARED)).status).toBe(429);
  });

  it('waits at most an hour with a new browser at the address of the attacker', async () => {
    test.clock.now += HOUR_MS;
    const response = await signIn(browser(), SHARED);
    expect(response.status, response.text).toBe(200);
  });

  it('is not recognized in a browser unused for half a year', async () => {
    const cookie = `${COOKIE}=${ada.cookies.get(COOKIE)}`;
    const browsers = (now: number) =>
      new KnownBrowsers({ storage: test.storage, clock: () => now }).find({ cookie }, ADA);
    expect(await browsers(test.clock.now + 179 * 24 * HOUR_MS)).not.toBeNull();
    expect(await browsers(test.clock.now + 180 * 24 * HOUR_MS)).toBeNull();
    await sweepExpiredLogins(test.storage, test.clock.now + 181 * 24 * HOUR_MS);
    expect(await test.storage.read.selectFrom('known_browsers').selectAll().execute()).toEqual([]);
  });

  it('has a last sign-in time, also without a session', async () => {
    const [teammate] = (await test.client.get('/teammates')).body;
    expect(Date.parse(teammate.lastSignedInAt)).toBe(test.clock.now);
    expect(await test.storage.read.selectFrom('sessions').selectAll().execute()).toEqual([]);
  });
});

describe('codes guessed by an attacker who knows the password', () => {
  const GRACE = { ...ADA, name: 'Grace', email: 'grace@example.com' };
  let grace: TestPerson;
  let uri: string;
  let recoveryCodes: string[];

  beforeAll(async () => {
    test.clock.now = Date.now();
    const path = `/accounts/${test.accountId}/owner-links`;
    const made = await test.client
      .as(null)
      .post(path, undefined, operatorHeaders(test, 'POST', path));
    grace = browser();
    const token = made.body.link.split('#token=')[1];
    await grace.post('/auth/setup', { token, ...GRACE });
    await storeCheapHash(GRACE.password);
    const begun = await grace.post('/auth/two-factor', { password: GRACE.password });
    expect(begun.status, begun.text).toBe(200);
    uri = begun.body.totpUri;
    recoveryCodes = begun.body.recoveryCodes;
    const code = totpCode(uri, Date.now());
    const on = await grace.post('/auth/two-factor/confirm', { code });
    expect(on.status, on.text).toBe(200);
    await grace.post('/auth/sign-out', {});
  });

  const challenged = async (person: TestPerson, address: string): Promise<TestPerson> => {
    const response = await person.post('/auth/sign-in', GRACE_LOGIN(), from(address));
    expect(response.body).toEqual({ status: 'second-factor-required' });
    return person;
  };
  const GRACE_LOGIN = () => ({ email: GRACE.email, password: GRACE.password });
  const tryCode = (person: TestPerson, address: string, code: string) =>
    person.post('/auth/sign-in/totp', { code }, from(address));

  it('are limited to ten an hour, without locking out a known browser or a recovery code', async () => {
    for (let n = 0; n < 10; n++) {
      const guesser = await challenged(browser(), `10.9.${n}.1`);
      expect((await tryCode(guesser, `10.9.${n}.1`, '000000')).status).toBe(401);
    }
    // The next code: the current one may already be used, because a code confirmed the second factor.
    const code = () => totpCode(uri, Date.now() + 30_000);
    const stopped = await challenged(browser(), '10.9.99.1');
    const response = await tryCode(stopped, '10.9.99.1', code());
    expect([response.status, response.body.code]).toEqual([429, 'sign_in_throttled']);
    expect(response.body.message).toContain('recovery code');

    await challenged(grace, SHARED);
    const known = await tryCode(grace, SHARED, code());
    expect(known.status, known.text).toBe(200);
    const plain = await challenged(browser(), SHARED);
    const recovered = await plain.post(
      '/auth/sign-in/recovery-code',
      { code: recoveryCodes[0] },
      from(SHARED),
    );
    expect(recovered.status, recovered.text).toBe(200);
  });

  const CHALLENGE = '__Host-keyward.two_factor';
  it.each([
    ['sent twice', (value: string) => `${CHALLENGE}=${value}; ${CHALLENGE}=x`],
    ['written with a space', (value: string) => `${CHALLENGE} =${value}`],
    ['encoded', (value: string) => `${CHALLENGE}=%32${value.slice(1)}`],
    ['quoted', (value: string) => `${CHALLENGE}="${value}"`],
  ])(
    'are rejected with a challenge cookie that is %s, since no limit would count it',
    async (_how, write) => {
      const person = await challenged(browser(), '198.51.100.20');
      const cookie = write(person.cookies.get(CHALLENGE)!);
      const headers = { ...from('198.51.100.20'), cookie };
      const totp = { code: totpCode(uri, Date.now() + 30_000) };
      const recovery = { code: recoveryCodes[1] };
      for (const response of [
        await person.post('/auth/sign-in/totp', totp, headers),
        await person.post('/auth/sign-in/recovery-code', recovery, headers),
      ])
        expect([response.status, response.body.code]).toEqual([401, 'second_factor_expired']);
    },
  );
});
