import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMember } from '../../harness/member.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createTestPerson, type TestPerson } from '../../harness/test-person.ts';
import { totpCode } from '../../harness/totp.ts';
import { operatorHeaders } from '../other-account.ts';

const EMAIL = 'ada@example.com';

let test: TestApp;
let owner: TestPerson;
let recoveryCodes: string[];
let password = 'a long way from home';

beforeAll(async () => {
  test = await startTestApp({ realClock: true });
  owner = browser();
  const identity = { name: 'Ada', email: EMAIL, password };
  await owner.post('/auth/setup', { token: test.setupToken, ...identity });
  const begun = await owner.post('/auth/two-factor', { password });
  recoveryCodes = begun.body.recoveryCodes;
  const code = totpCode(begun.body.totpUri, Date.now());
  const confirmed = await owner.post('/auth/two-factor/confirm', { code });
  expect(confirmed.status, confirmed.text).toBe(200);
});
afterAll(() => test.close());

const browser = () => createTestPerson(test.url);

/** The token of a link from the operator. */
async function resetToken(email: string): Promise<string> {
  const path = `/users/${encodeURIComponent(email)}/password-links`;
  test.clock.now = Date.now();
  const headers = operatorHeaders(test, 'POST', path);
  const { body, text } = await test.client.as(null).post(path, undefined, headers);
  expect(body.link, text).toContain('#token=');
  return body.link.split('#token=')[1];
}

const reset = (token: string, to: string) =>
  browser().post('/auth/password/reset', { token, password: to });

it.each([
  [
    'changed',
    (to: string) => owner.post('/auth/password', { currentPassword: password, newPassword: to }),
  ],
  ['reset with a link', async (to: string) => reset(await resetToken(EMAIL), to)],
])(
  'a password that is %s ends earlier links and sign-ins of this user, and no others',
  async (how, set) => {
    const other = await createMember(test, [], Date.now());
    const link = await resetToken(EMAIL);
    const linkOfOther = await resetToken(other.email);
    const begun = browser();
    const first = await begun.post('/auth/sign-in', { email: EMAIL, password });
    expect(first.body, first.text).toEqual({ status: 'second-factor-required' });

    const next = `another way to go there, ${how}`;
    const done = await set(next);
    expect(done.body, done.text).toBe(true);
    password = next;

    const late = await begun.post('/auth/sign-in/recovery-code', { code: recoveryCodes[0] });
    expect(late.body).toMatchObject({ code: 'second_factor_expired' });
    expect((await begun.get('/me')).status).toBe(401);
    const used = await reset(link, 'chosen by somebody else');
    expect(used.body).toMatchObject({ code: 'link_invalid' });
    expect((await reset(linkOfOther, 'quite another long one')).body).toBe(true);

    const again = browser();
    await again.post('/auth/sign-in', { email: EMAIL, password });
    const entered = await again.post('/auth/sign-in/recovery-code', {
      code: recoveryCodes.shift(),
    });
    expect(entered.body, entered.text).toEqual({ status: 'signed-in' });
  },
);
