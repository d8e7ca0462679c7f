import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/kernel/secrets/crypto.ts';
import { createMember } from '../../harness/member.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createTestPerson, type TestPerson } from '../../harness/test-person.ts';
import { totpCode } from '../../harness/totp.ts';

const OWNER = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'a long way from home' };
const { email, password } = OWNER;
const SESSION = '__Host-keyward.session_token';

let test: TestApp;
let owner: TestPerson;

beforeAll(async () => {
  test = await startTestApp({ realClock: true });
  owner = createTestPerson(test.url);
});
afterAll(() => test.close());

const browser = () => createTestPerson(test.url);

/** A user with a new session. */
async function signedIn(): Promise<TestPerson> {
  const person = browser();
  const response = await person.post('/auth/sign-in', { email, password });
  expect(response.status, response.text).toBe(200);
  return person;
}

const auditOf = async (action: string) =>
  test.storage.read.selectFrom('audit_log').selectAll().where('action', '=', action).execute();

describe('the setup link', () => {
  it('describes itself to the holder of its token', async () => {
    const response = await owner.post('/auth/setup/info', { token: test.setupToken });
    expect(response.body).toMatchObject({ accountName: 'Default account' });
    const wrong = await owner.post('/auth/setup/info', { token: 'not-a-valid-setup-token' });
    expect([wrong.status, wrong.body.code]).toEqual([404, 'link_invalid']);
  });

  it.each([
    ['short', 'short'],
    ['one repeated character', 'aaaaaaaaaaaaaaaa'],
    ['common', 'Password1234!'],
    ['a sequence', '123456789012345'],
    ['the name of the person', 'ada-lovelace-ada'],
  ])('rejects a password that is %s', async (_, weak) => {
    const body = { token: test.setupToken, ...OWNER, password: weak };
    const response = await owner.post('/auth/setup', body);
    expect([response.status, response.body.code]).toEqual([400, 'password_weak']);
    expect(response.text).not.toContain(weak);
  });

  it('rejects unknown fields', async () => {
    const body = { token: test.setupToken, ...OWNER, role: 'owner' };
    const response = await owner.post('/auth/setup', body);
    expect(response.body).toMatchObject({ code: 'invalid_body' });
  });

  it('creates a signed-in owner, and works once, also for two concurrent requests', async () => {
    const body = { token: test.setupToken, ...OWNER };
    const both = [browser(), browser()];
    const responses = await Promise.all(both.map((person) => person.post('/auth/setup', body)));
    const won = responses.findIndex(({ status }) => status === 200);
    owner = both[won]!;
    // The other request finds the link used, or the email address taken.
    expect([404, 409]).toContain(responses[1 - won]!.status);
    expect(both[1 - won]!.cookies.has(SESSION)).toBe(false);
    const me = await owner.get('/me');
    expect(me.body).toMatchObject({ name: OWNER.name, email, hasPassword: true });
    expect(me.body.accounts).toEqual([
      {
        accountId: test.accountId,
        accountName: 'Default account',
        role: 'owner',
        projectIds: null,
      },
    ]);
    expect(await auditOf('user.joined')).toMatchObject([{ actor_type: 'user' }]);
  });
});

describe('the session', () => {
  it('is a cookie that scripts cannot read and other sites cannot send', async () => {
    const [line] = owner.setCookies.filter((set) => set.startsWith(SESSION));
    expect(line).toMatch(/; Path=\/(;|$)/);
    for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Strict'])
      expect(line).toContain(`; ${attribute}`);
    expect(line).not.toMatch(/domain/i);
  });

  it('is stored only as a hash, and never shown', async () => {
    const [token = ''] = owner.cookies.get(SESSION)!.split('.');
    const rows = await test.storage.read.selectFrom('sessions').selectAll().execute();
    expect(rows.map((row) => row.token)).toContain(sha256(token));
    expect(JSON.stringify(rows)).not.toContain(token);
    const shown = await owner.get('/auth/sessions');
    expect(shown.text).not.toContain(token);
    expect(shown.text).not.toContain(sha256(token));
    expect(test.log.join()).not.toContain(token);
  });

  it('authorizes API requests, with the user as the actor', async () => {
    const made = await owner.post('/api-keys', { name: 'By a person' });
    expect(made.status, made.text).toBe(201);
    const [row] = await auditOf('api-key.created');
    expect(row).toMatchObject({ actor_type: 'user', actor_id: (await owner.get('/me')).body.id });
    const valid = await owner.post(`/api-keys/auth/${made.body.key}`);
    expect(valid.status, valid.text).toBe(200);
    const project = await owner.post('/projects', { name: 'Hers' });
    expect(project.body).toMatchObject({ createdByType: 'USER', createdIn: 'dashboard' });
  });

  it('is replaced at every sign-in: the previous one ends', async () => {
    const person = await signedIn();
    const before = person.cookies.get(SESSION)!;
    await person.post('/auth/sign-in', { email, password });
    expect(person.cookies.get(SESSION)).not.toBe(before);
    const fixed = browser();
    fixed.cookies.set(SESSION, before);
    expect((await fixed.get('/me')).body).toMatchObject({ code: 'session_invalid' });
  });

  it.each(['', 'x', 'forged-token.signature', "' or 1=1 --"])(
    'is not valid if forged as %j',
    async (value) => {
      const person = browser();
      person.cookies.set(SESSION, value);
      const response = await person.get('/me');
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    },
  );

  it('is ignored if the cookie is sent twice', async () => {
    const cookie = `${SESSION}=${owner.cookies.get(SESSION)}`;
    const response = await browser().get('/me', { cookie: `${cookie}; ${cookie}` });
    expect(response.body).toMatchObject({ code: 'session_invalid' });
  });

  it('does not replace an invalid access key', async () => {
    const response = await owner.get('/api-keys', { 'x-api-key': 'not-an-access-key' });
    expect(response.body).toMatchObject({ code: 'credential_invalid' });
  });

  it('ends by signing out, here or from another session', async () => {
    const [here, there] = [await signedIn(), await signedIn()];
    const list = (await here.get('/auth/sessions')).body;
    const current = list.filter((session: { isCurrent: boolean }) => session.isCurrent);
    expect(current).toHaveLength(1);
    const theirs = (await there.get('/me')).body.sessionId;
    expect((await here.delete(`/auth/sessions/${theirs}`)).body).toBe(true);
    expect((await there.get('/me')).status).toBe(401);
    const old = here.cookies.get(SESSION)!;
    expect((await here.post('/auth/sign-out')).body).toBe(true);
    expect(here.cookies.has(SESSION)).toBe(false);
    here.cookies.set(SESSION, old);
    expect((await here.get('/me')).status).toBe(401);
  });

  it('with an unknown id cannot be ended', async () => {
    const mine: string = (await owner.get('/me')).body.sessionId;
    const other = mine.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const response = await owner.delete(`/auth/sessions/${other}`);
    expect(response.body).toMatchObject({ code: 'session_not_found' });
  });

  it('of another user cannot be ended', async () => {
    const roles = [{ accountId: test.accountId, role: 'viewer' as const }];
    const other = await createMember(test, roles, Date.now());
    const theirs = (await other.get('/me')).body.sessionId;
    const response = await owner.delete(`/auth/sessions/${theirs}`);
    expect(response.body).toMatchObject({ code: 'session_not_found' });
    expect((await other.get('/me')).status).toBe(200);
  });
});

describe('signing in', () => {
  it('does not reveal whether a user exists', async () => {
    const wrong = await browser().post('/auth/sign-in', { email, password: 'not the password' });
    const unknown = await browser().post('/auth/sign-in', {
      email: 'nobody@example.com',
      password: 'not the password',
    });
    const comparable = ({ status, text, headers }: typeof wrong) => ({
      status,
      text: text.replace(/"requestId":"[^"]+"/, ''),
      headers: [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
    });
    expect(comparable(wrong)).toEqual(comparable(unknown));
    expect(wrong.body).toMatchObject({ code: 'sign_in_failed' });
  });

  it('is limited to ten attempts for an email address, even an unknown one', async () => {
    // At once: ten hashes in a row may take longer than the window.
    const attempts = Array.from({ length: 12 }, (_, n) =>
      browser().post('/auth/sign-in', {
        email: n % 2 === 0 ? 'stopped@example.com' : 'Stopped@Example.com ',
        password: `try ${n}`,
      }),
    );
    const responses = await Promise.all(attempts);
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    for (const { body, headers } of responses.filter(({ status }) => status === 429)) {
      expect(body.code).toBe('sign_in_throttled');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(test.log.join()).not.toContain('try 1');
  });
});

describe('the password', () => {
  const next = 'another way to go there';

  it('can be changed with the current password, which ends every other session', async () => {
    const other = await signedIn();
    const wrong = { currentPassword: 'not the password', newPassword: next };
    expect((await owner.post('/auth/password', wrong)).body).toMatchObject({
      code: 'password_wrong',
    });
    const named = { currentPassword: password, newPassword: `${email} 1` };
    expect((await owner.post('/auth/password', named)).body.code).toBe('password_weak');
    const right = { currentPassword: password, newPassword: next };
    const response = await owner.post('/auth/password', right);
    expect(response.status, response.text).toBe(200);
    expect((await other.get('/me')).status).toBe(401);
    expect((await owner.get('/me')).status).toBe(200);
    expect(await auditOf('user.password-changed')).toHaveLength(1);
    const back = { currentPassword: next, newPassword: password };
    expect((await owner.post('/auth/password', back)).status).toBe(200);
  });

  it('is stored as argon2id with its own salt', async () => {
    const rows = await test.storage.read.selectFrom('credentials').select('password').execute();
    for (const row of rows) expect(row.password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});

describe('the second factor', () => {
  let uri: string;
  let recoveryCodes: string[];

  it('is enabled after a code has confirmed it, which cannot be used again', async () => {
    const begun = await owner.post('/auth/two-factor', { password });
    expect(begun.status, begun.text).toBe(200);
    uri = begun.body.totpUri;
    recoveryCodes = begun.body.recoveryCodes;
    expect(uri).toMatch(/^otpauth:\/\/totp\/Keyward/);
    const wrong = await owner.post('/auth/two-factor/confirm', { code: '000000' });
    expect(wrong.body).toMatchObject({ code: 'second_factor_failed' });
    const code = totpCode(uri, Date.now());
    const right = await owner.post('/auth/two-factor/confirm', { code });
    expect(right.status, right.text).toBe(200);
    const person = browser();
    await person.post('/auth/sign-in', { email, password });
    const reused = await person.post('/auth/sign-in/totp', { code });
    expect(reused.body).toMatchObject({ code: 'second_factor_failed' });
    expect((await person.get('/me')).status).toBe(401);
    expect((await owner.get('/me')).body.twoFactorEnabled).toBe(true);
    const again = await owner.post('/auth/two-factor', { password });
    expect(again.body).toMatchObject({ code: 'two_factor_on' });
  });

  it('is stored encrypted, with its codes', async () => {
    const rows = await test.storage.read.selectFrom('two_factors').selectAll().execute();
    const text = JSON.stringify(rows);
    expect(text).not.toContain(new URL(uri).searchParams.get('secret')!);
    for (const code of recoveryCodes) expect(text).not.toContain(code);
  });

  it('is required after the password, and a code works once', async () => {
    const person = browser();
    const first = await person.post('/auth/sign-in', { email, password });
    // The next code: the current one may already be used, because a code confirmed the second factor.
    const code = totpCode(uri, Date.now() + 30_000);
    expect(first.body).toEqual({ status: 'second-factor-required' });
    expect((await person.get('/me')).status).toBe(401);
    const wrong = await person.post('/auth/sign-in/totp', {
      code: code === '000000' ? '1' : '000000',
    });
    expect(wrong.status).toBe(401);
    const right = await person.post('/auth/sign-in/totp', { code });
    expect(right.body, right.text).toEqual({ status: 'signed-in' });
    expect((await person.get('/me')).status).toBe(200);

    const replay = browser();
    await replay.post('/auth/sign-in', { email, password });
    const replayed = await replay.post('/auth/sign-in/totp', { code });
    expect(replayed.body).toMatchObject({ code: 'second_factor_failed' });
    expect((await replay.get('/me')).status).toBe(401);
  });

  it('is not accepted without the password', async () => {
    const code = totpCode(uri, Date.now());
    const response = await browser().post('/auth/sign-in/totp', { code });
    expect(response.body).toMatchObject({ code: 'second_factor_expired' });
  });

  it('can be replaced by a recovery code, once', async () => {
    const [code] = recoveryCodes;
    const person = browser();
    await person.post('/auth/sign-in', { email, password });
    const response = await person.post('/auth/sign-in/recovery-code', { code });
    expect(response.body, response.text).toEqual({ status: 'signed-in' });
    const second = browser();
    await second.post('/auth/sign-in', { email, password });
    const again = await second.post('/auth/sign-in/recovery-code', { code });
    expect(again.body).toMatchObject({ code: 'second_factor_failed' });
  });

  it('can be disabled with the password', async () => {
    expect((await owner.post('/auth/two-factor/disable', { password: 'no' })).body).toMatchObject({
      code: 'password_wrong',
    });
    expect((await owner.post('/auth/two-factor/disable', { password })).body).toBe(true);
    expect((await owner.get('/me')).body.twoFactorEnabled).toBe(false);
  });
});

describe('ways to sign in', () => {
  it('are listed, without those that are not configured', async () => {
    const response = await browser().get('/auth/methods');
    expect(response.body).toEqual({
      password: true,
      passkey: true,
      providers: [],
      resetByMail: false,
      needsSetup: false,
    });
    const begun = await browser().post('/auth/sign-in/provider', { provider: 'github' });
    expect(begun.body).toMatchObject({ code: 'provider_not_found' });
    const forgot = await browser().post('/auth/password/forgot', { email });
    expect(forgot.body).toMatchObject({ code: 'mail_unavailable' });
  });

  it('offer a passkey with a challenge of this server', async () => {
    const response = await browser().post('/auth/sign-in/passkey/options');
    expect(response.body).toMatchObject({ rpId: 'keyward.example' });
    const made = await owner.post('/auth/passkeys/options');
    expect(made.body).toMatchObject({ rp: { id: 'keyward.example', name: 'Keyward' } });
    const forged = await owner.post('/auth/passkeys', { name: 'Forged', response: { id: 'x' } });
    expect(forged.status).toBe(401);
    expect((await owner.get('/auth/passkeys')).body).toEqual([]);
  });
});
