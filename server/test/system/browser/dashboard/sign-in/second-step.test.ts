import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestPerson } from '../../../../harness/test-person.ts';
import { totp } from '../../../../harness/totp.ts';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardOptions,
  type DashboardPage,
  startDashboard,
} from '../dashboard-browser.ts';
import { pressOn, typeInto } from '../keyboard.ts';

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'a long way from home' };

let dashboard: DashboardBrowser;
let secret: string;
let recoveryCodes: string[];

beforeAll(async () => {
  dashboard = await startDashboard();
  const ada = createTestPerson(dashboard.test.url);
  await ada.post('/auth/setup', { token: dashboard.test.setupToken, ...ADA });
  const { body } = await ada.post('/auth/two-factor', { password: ADA.password });
  secret = new URL(body.totpUri).searchParams.get('secret')!;
  recoveryCodes = body.recoveryCodes;
  // Confirmed with the previous code: each code works once, and the tests need the current one to sign in.
  // Repeated, because the previous code may have become too old meanwhile.
  const confirm = () =>
    ada.post('/auth/two-factor/confirm', { code: totp(secret, Date.now() - 30_000) });
  while ((await confirm()).status !== 200);
});
afterAll(() => dashboard?.close());

/** Enters the password by keyboard; the page then asks for the code. */
async function enterPassword(options: DashboardOptions = {}): Promise<DashboardPage> {
  const opened = await dashboard.open('/login', { role: null, ...options });
  const { page } = opened;
  await typeInto(page, page.getByLabel('Email'), ADA.email);
  await typeInto(page, page.getByLabel('Password', { exact: true }), ADA.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
  return opened;
}

const expectNoFailures = ({ failures, foreignRequests }: DashboardPage) =>
  expect([failures, foreignRequests]).toEqual([[], []]);

it('the second step has a page that passes axe in both themes', async () => {
  const opened = await enterPassword();
  const { page } = opened;
  expect(await axeViolations(page)).toEqual([]);
  await pressOn(page, page.getByRole('button', { name: 'Use a recovery code' }));
  await page.getByLabel('Recovery code').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expectNoFailures(opened);
});

it('the second step is required in addition to the password', async () => {
  const opened = await enterPassword();
  const { page } = opened;
  await page.goto(`${dashboard.test.url}/dashboard/`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expectNoFailures(opened);
});

it('the second step accepts the current code as it is typed, after a wrong one was rejected', async () => {
  const opened = await enterPassword();
  const { page } = opened;
  const field = page.getByLabel('Six-digit code');
  await expect
    .poll(() => field.evaluate((input) => input === input.ownerDocument.activeElement))
    .toBe(true);
  const right = totp(secret, Date.now());
  await page.keyboard.type(right === '000000' ? '000001' : '000000');
  await page.getByRole('alert').waitFor();
  await typeInto(page, field, totp(secret, Date.now()));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expectNoFailures(opened);
});

it('the second step accepts a recovery code once', async () => {
  const [code] = recoveryCodes;
  const use = async () => {
    const opened = await enterPassword();
    const { page } = opened;
    await pressOn(page, page.getByRole('button', { name: 'Use a recovery code' }));
    await typeInto(page, page.getByLabel('Recovery code'), code!);
    await page.keyboard.press('Enter');
    return opened;
  };
  const first = await use();
  await first.page.getByRole('heading', { name: 'Overview' }).waitFor();
  const second = await use();
  await second.page.getByRole('alert').waitFor();
  await expect
    .poll(() => second.page.getByRole('heading', { name: 'Two-factor authentication' }).count())
    .toBe(1);
  await pressOn(second.page, second.page.getByRole('button', { name: 'Start over' }));
  await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expectNoFailures(first);
  expectNoFailures(second);
});
