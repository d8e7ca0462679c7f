import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../../../../harness/mail-server.ts';
import { createTestPerson, type TestPerson } from '../../../../harness/test-person.ts';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardPage,
  startDashboard,
} from '../dashboard-browser.ts';
import { pressOn, typeInto } from '../keyboard.ts';

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'a long way from home' };
const NEW_PASSWORD = 'nine bridges over the river';

let dashboard: DashboardBrowser;
let mails: MailServer;
let ada: TestPerson;

beforeAll(async () => {
  mails = await startMailServer();
  dashboard = await startDashboard({ smtp: mails.smtp });
  ada = createTestPerson(dashboard.test.url);
  await ada.post('/auth/setup', { token: dashboard.test.setupToken, ...ADA });
});
afterAll(async () => {
  await dashboard?.close();
  await mails.close();
});

const expectNoFailures = ({ failures, foreignRequests }: DashboardPage) =>
  expect([failures, foreignRequests]).toEqual([[], []]);

async function requestReset(email: string): Promise<DashboardPage> {
  const opened = await dashboard.open('/login', { role: null });
  const { page } = opened;
  await pressOn(page, page.getByRole('link', { name: 'Forgot password?' }));
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
  await typeInto(page, page.getByLabel('Email'), email);
  await page.keyboard.press('Enter');
  await page.getByText('Check your email').waitFor();
  return opened;
}

it('the page for a forgotten password does not reveal whether an email address is known', async () => {
  const known = await requestReset(ADA.email);
  const unknown = await requestReset('nobody@example.com');
  const textOf = async ({ page }: DashboardPage, email: string) =>
    (await page.getByRole('main').textContent())?.replace(email, '…');
  expect(await textOf(known, ADA.email)).toBe(await textOf(unknown, 'nobody@example.com'));
  await mails.mailTo(ADA.email);
  expect(mails.received.flatMap(({ to }) => to)).not.toContain('nobody@example.com');
  expectNoFailures(known);
  expectNoFailures(unknown);
});

it('a forgotten password can be reset once with the link in the email, which ends every session', async () => {
  expect((await ada.get('/me')).status).toBe(200);
  const { text } = await mails.mailTo(ADA.email);
  const [, path] = /https:\/\/keyward\.example\/dashboard(\/reset-password#token=\S+)/.exec(text)!;
  const token = path!.split('=')[1]!;
  const opened = await dashboard.open(path!, { role: null });
  const { page } = opened;
  const field = page.getByLabel('New password', { exact: true });
  await typeInto(page, field, 'short');
  await page.keyboard.press('Enter');
  await page.getByText('at least 12 characters', { exact: false }).first().waitFor();
  await page.getByRole('alert').waitFor();
  expect(page.url()).not.toContain('token');
  await typeInto(page, field, NEW_PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Password changed').waitFor();
  expect((await ada.get('/me')).status).toBe(401);

  await pressOn(page, page.getByRole('link', { name: 'Sign in' }));
  await typeInto(page, page.getByLabel('Email'), ADA.email);
  await typeInto(page, page.getByLabel('Password', { exact: true }), ADA.password);
  await page.keyboard.press('Enter');
  await page.getByText('The email address or the password is wrong.').waitFor();
  await typeInto(page, page.getByLabel('Password', { exact: true }), NEW_PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(dashboard.test.log.join()).not.toContain(token);
  expectNoFailures(opened);

  const again = await dashboard.open(path!, { role: null });
  await typeInto(
    again.page,
    again.page.getByLabel('New password', { exact: true }),
    `${NEW_PASSWORD}!`,
  );
  await again.page.keyboard.press('Enter');
  await again.page.getByRole('alert').waitFor();
  expect(await again.page.getByText('Password changed').count()).toBe(0);
  expectNoFailures(again);
});

it('a forgotten password can be reset by an owner on the Team page, with an email to the teammate', async () => {
  const { client, accountId, url } = dashboard.test;
  const invited = { emails: ['grace@example.com'], role: 'viewer', accountId };
  const { body } = await client.post('/invitations', invited);
  const token = /token=(\S+)/.exec((await mails.mailTo('grace@example.com')).text)![1];
  const grace = { token, name: 'Grace Hopper', password: 'a ship in harbour is safe' };
  await createTestPerson(url).post(`/invitations/${body[0].id}/accept`, grace);
  const before = mails.received.length;
  const opened = await dashboard.open(`/a/${accountId}/team`);
  const { page } = opened;
  await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
  await page.getByRole('menuitem', { name: 'Reset password…' }).click();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Send reset link' }).click();
  const messages = page.getByRole('region', { name: 'Messages' });
  await messages.getByText('Reset link sent to grace@example.com.').waitFor();
  await expect
    .poll(() =>
      mails.received
        .slice(before)
        .map(({ text }) => text)
        .join(),
    )
    .toContain('/reset-password#token=');
  expectNoFailures(opened);
});

it('a forgotten password has pages that pass axe in both themes', async () => {
  for (const path of ['/forgot-password', '/reset-password', '/reset-password#token=worthless']) {
    const opened = await dashboard.open(path, { role: null });
    expect(await axeViolations(opened.page)).toEqual([]);
    expectNoFailures(opened);
  }
});
