import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMember } from '../../harness/member.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createTestPerson, type TestPerson } from '../../harness/test-person.ts';

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'a long way from home' };
const FIVE_MINUTES = 5 * 60_000;
const ADA_LOGIN = { email: ADA.email, password: ADA.password };

let test: TestApp;
let ada: TestPerson;
beforeAll(async () => {
  test = await startTestApp({
    startAt: Date.now(),
    loginProviders: { github: { clientId: 'id', clientSecret: 'secret' } },
  });
  ada = createTestPerson(test.url);
  const made = await ada.post('/auth/setup', { token: test.setupToken, ...ADA });
  expect(made.status, made.text).toBe(200);
  // The library sets the start of the session from the real clock.
  test.clock.now = Date.now();
});
afterAll(() => test.close());

const CHANGES: Record<string, (person: TestPerson) => ReturnType<TestPerson['post']>> = {
  'requesting a new passkey': (person) => person.post('/auth/passkeys/options'),
  'adding a passkey': (person) => person.post('/auth/passkeys', { name: 'Made', response: {} }),
  'removing a passkey': (person) => person.delete('/auth/passkeys/psk_unknown'),
  'linking another login': (person) => person.post('/auth/providers', { provider: 'github' }),
  'unlinking a login': (person) => person.delete('/auth/providers/github'),
};
const codeOf = async (change: string, person = ada) =>
  (await CHANGES[change]!(person)).body.code ?? null;
const ALLOWED = {
  'requesting a new passkey': null,
  'adding a passkey': 'passkey_failed',
  'removing a passkey': 'passkey_not_found',
  'linking another login': null,
  'unlinking a login': 'provider_not_found',
};
const confirm = (body: object, person = ada) => person.post('/auth/confirm', body);

describe.each(Object.entries(ALLOWED))('%s', (change, allowed) => {
  it('needs a sign-in or a confirmation in the last five minutes', async () => {
    const person = createTestPerson(test.url);
    const signedIn = await person.post('/auth/sign-in', ADA_LOGIN);
    expect(signedIn.status, signedIn.text).toBe(200);
    test.clock.now = Date.now();
    expect(await codeOf(change, person)).toBe(allowed);
    test.clock.now += FIVE_MINUTES;
    expect(await codeOf(change, person)).toBe('confirmation_required');
    expect((await confirm({ password: 'not the password' }, person)).body).toMatchObject({
      code: 'password_wrong',
    });
    expect(await codeOf(change, person)).toBe('confirmation_required');

    const confirmed = await confirm({ password: ADA.password }, person);
    const until = new Date(test.clock.now + FIVE_MINUTES).toISOString();
    expect(confirmed.body).toEqual({ confirmedUntil: until });
    expect(await codeOf(change, person)).toBe(allowed);
    expect(await codeOf(change)).toBe('confirmation_required');
    test.clock.now += FIVE_MINUTES;
    expect(await codeOf(change, person)).toBe('confirmation_required');
  });
});

describe('a confirmation', () => {
  it('is a password or a passkey', async () => {
    for (const body of [{}, { password: ADA.password, response: {} }])
      expect((await confirm(body)).body).toMatchObject({ code: 'invalid_body' });
    const forged = await confirm({ response: { id: 'unknown' } });
    expect(forged.body).toMatchObject({ code: 'passkey_failed' });
  });

  it('is not required to list passkeys', async () => {
    expect((await ada.get('/auth/passkeys')).status).toBe(200);
  });

  it('may also be a new sign-in', async () => {
    const membership = [{ accountId: test.accountId, role: 'viewer' as const }];
    const person = await createMember(test, membership, test.clock.now - FIVE_MINUTES);
    expect(await codeOf('requesting a new passkey', person)).toBe('confirmation_required');
    expect((await confirm({ password: 'any' }, person)).body).toMatchObject({
      code: 'password_wrong',
    });
    const again = await createMember(test, membership);
    expect(await codeOf('requesting a new passkey', again)).toBe(null);
  });

  it('is not accepted from another user’s session', async () => {
    const signedIn = await ada.post('/auth/sign-in', ADA_LOGIN);
    expect(signedIn.status, signedIn.text).toBe(200);
    const person = await createMember(test, [], test.clock.now - FIVE_MINUTES);
    const name = '__Host-keyward.session_token';
    const own = `${name}=${person.cookies.get(name)}`;
    const cookie = `${name} =${ada.cookies.get(name)}; ${own}`;
    const response = await person.post('/auth/confirm', { password: ADA.password }, { cookie });
    expect(response.body).toMatchObject({ code: 'password_wrong' });
    expect(await codeOf('requesting a new passkey', person)).toBe('confirmation_required');
  });

  it('is limited, so that an open session cannot guess the password', async () => {
    const person = await createMember(test, []);
    const codes: string[] = [];
    for (let n = 0; n < 21; n++) codes.push((await confirm({ password: 'x' }, person)).body.code);
    expect(codes.slice(0, 20)).toEqual(Array(20).fill('password_wrong'));
    expect(codes[20]).toBe('sign_in_throttled');
  });
});
