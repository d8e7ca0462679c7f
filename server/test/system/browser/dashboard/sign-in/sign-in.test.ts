import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { operatorHeaders } from '../../../../e2e/other-account.ts';
import { createMember } from '../../../../harness/member.ts';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardPage,
  startDashboard,
} from '../dashboard-browser.ts';

const PASSWORD = 'a long way from home';

let dashboard: DashboardBrowser;
let opened: DashboardPage;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard?.close());

const open = async (path: string): Promise<DashboardPage['page']> => {
  opened = await dashboard.open(path, { role: null });
  return opened.page;
};

afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

it('opens the overview from the setup link, and removes the token from the URL', async () => {
  const page = await open(`/setup#token=${dashboard.test.setupToken}`);
  await page.getByText('an owner of Default account').waitFor();
  expect(page.url()).not.toContain('token');
  expect(await axeViolations(page)).toEqual([]);
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Create owner' }).click();
  await page.getByRole('alert').waitFor();
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('12 characters');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create owner' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(
    dashboard.test.setupToken,
  );
});

it('makes a signed-in member an owner with a link of the operator', async () => {
  const { test } = dashboard;
  const memberships = [{ accountId: test.accountId, role: 'admin' as const }];
  const { cookies, get, id } = await createMember(test, memberships, Date.now());
  // The time of the operator's signature.
  test.clock.now = Date.now();
  const linkPath = `/accounts/${test.accountId}/owner-links`;
  const headers = operatorHeaders(test, 'POST', linkPath);
  const { body } = await test.client.as(null).post(linkPath, undefined, headers);
  opened = await dashboard.open(`/setup${new URL(body.link).hash}`, { cookies });
  const { page } = opened;
  const become = page.getByRole('button', { name: `Become an owner as Person ${id}` });
  await become.waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await become.click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect((await get('/me')).body.accounts).toMatchObject([{ role: 'owner' }]);
});

it.each([
  ['signup_disabled', 'Ask an owner of your account to invite you.'],
  ['account_not_linked', 'link it in Settings'],
  ['<b>made up</b>', 'Try again, or use another method.'],
])('explains what to do if the identity provider returns %s', async (error, advice) => {
  const page = await open(`/login?error=${encodeURIComponent(error)}`);
  await page.getByRole('alert').getByText(advice).waitFor();
  expect(await page.getByRole('alert').textContent()).not.toContain(error);
});

it('says that a link was already used', async () => {
  const page = await open(`/setup#token=${dashboard.test.setupToken}`);
  await page.getByText('This link does not work').waitFor();
});

it('rejects a wrong password, signs in with the right one to the requested page, and signs out', async () => {
  const page = await open(`/p/${dashboard.test.projectId}/webhooks`);
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password', { exact: true }).fill('something else entirely');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('The email address or the password is wrong.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'User menu: Ada Lovelace' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.goto(`${dashboard.test.url}/dashboard/`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});
