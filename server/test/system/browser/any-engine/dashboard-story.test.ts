import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../../../harness/mail-server.ts';
import { totp } from '../../../harness/totp.ts';
import { type Receiver, startReceiver } from '../../../webhooks/receiver.ts';
import { tableTotals } from '../dashboard/chart-table.ts';
import {
  type DashboardBrowser,
  type DashboardPage,
  startDashboard,
} from '../dashboard/dashboard-browser.ts';

/**
 * A typical session from the first start to the audit log, on both engines. Each test continues where
 * the previous one ended, in the same browser.
 */
const ADA = { email: 'ada@example.com', password: 'a long way from home' };

let dashboard: DashboardBrowser;
let mails: MailServer;
let receiver: Receiver;
let opened: DashboardPage;
let page: Page;
let accessKey: string;
let apiKey: string;

beforeAll(async () => {
  [mails, receiver] = await Promise.all([startMailServer(), startReceiver()]);
  dashboard = await startDashboard({ webhookAllow: ['127.0.0.0/8'], smtp: mails.smtp });
  opened = await dashboard.open(`/setup#token=${dashboard.test.setupToken}`, {
    role: null,
    isKept: true,
  });
  page = opened.page;
});
afterAll(async () => {
  await dashboard?.close();
  await Promise.all([mails.close(), receiver.close()]);
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true });
const dialog = () => page.getByRole('dialog');
const message = (text: string) => page.getByRole('region', { name: 'Messages' }).getByText(text);

async function go(name: string) {
  const side = page.getByRole('navigation', { name: 'Main' });
  await side.getByRole('link', { name, exact: true }).click();
  await heading(name).waitFor();
}

/** Validates a key as an API server does. */
const validate = async (key: string) => {
  const response = await fetch(`${dashboard.test.url}/api-keys/auth`, {
    method: 'POST',
    headers: { 'x-api-key': accessKey, 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  return response.status;
};

it('starts with the setup link, and a second factor', async () => {
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('Email').fill(ADA.email);
  await page.getByLabel('Password', { exact: true }).fill(ADA.password);
  await button('Create owner').click();
  await heading('Overview').waitFor();
  await go('Settings');
  await button('Turn on…').click();
  await page.getByLabel('Your password', { exact: true }).fill(ADA.password);
  await button('Continue').click();
  const secret = (await dialog().locator('code').textContent())!;
  await page.getByLabel('Six-digit code').fill(totp(secret, Date.now()));
  await button('Turn on').click();
  const code = (await dialog().locator('li code').first().textContent())!;
  await button('Done').click();

  await button(/^User menu/).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Email').fill(ADA.email);
  await page.getByLabel('Password', { exact: true }).fill(ADA.password);
  await button('Sign in').click();
  await button('Use a recovery code').click();
  await page.getByLabel('Recovery code').fill(code);
  await button('Continue').click();
  await heading('Overview').waitFor();
});

it('creates a project, an access key and a key, each value shown once', async () => {
  await go('Projects');
  await page.keyboard.press('c');
  await dialog().getByLabel('Name').fill('Shop');
  await dialog().getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Switch project. Current: Shop, live' }).waitFor();
  await go('Access keys');
  await page.keyboard.press('c');
  await dialog().getByLabel('Name').fill('Checkout');
  await dialog()
    .getByRole('button', { name: /^Create/ })
    .click();
  accessKey = (await page.locator('[data-secret]').textContent())!;
  await button('Done').click();
  await go('Keys');
  await page.keyboard.press('c');
  await dialog().getByRole('textbox', { name: 'Name' }).fill('Northwind');
  await dialog().getByRole('checkbox', { name: 'Limit request rate' }).check();
  await dialog().getByLabel('Requests').fill('3');
  await dialog().getByRole('button', { name: 'Create key' }).click();
  apiKey = (await page.locator('[data-secret]').textContent())!;
  await button('Done').click();
  await page.getByRole('row', { name: 'Northwind' }).waitFor();
});

it('shows validations in the chart as they arrive, and a reached limit', async () => {
  expect([await validate(apiKey), await validate(apiKey), await validate(apiKey)]).toEqual([
    200, 200, 200,
  ]);
  expect(await validate(apiKey)).toBe(429);
  await go('Overview');
  await button('Show as table').click();
  await expect.poll(() => tableTotals(page, 2)).toEqual([3, 1]);
  await page.getByText('Rate limited 1 time since yesterday (UTC)').waitFor();
});

it('creates a webhook that was tested first', async () => {
  await go('Webhooks');
  await page.keyboard.press('c');
  await dialog().getByLabel('Name', { exact: true }).fill('Portal');
  await dialog().getByLabel('Endpoint URL').fill(`${receiver.url}/portal`);
  await dialog().getByRole('checkbox', { name: 'api-key.created' }).check();
  await dialog().getByRole('button', { name: 'Send test' }).click();
  await page.getByText(/^200 in [\d,]+ ms$/).waitFor();
  await dialog()
    .getByRole('button', { name: /^Create/ })
    .click();
  await button('Done').click();
});

it('rotates and revokes the key, and the webhook receives its events', async () => {
  await go('Keys');
  await page.getByRole('link', { name: 'Northwind' }).click();
  await heading('Northwind').waitFor();
  await button('Rotate').click();
  await dialog().getByLabel('Old key stops working').selectOption('Immediately');
  await dialog().getByRole('button', { name: 'Rotate' }).click();
  const rotated = (await page.locator('[data-secret]').textContent())!;
  expect(await validate(apiKey)).toBe(404);
  await button('View key').click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await button('More actions').click();
  await page.getByRole('menuitem', { name: 'Revoke…' }).click();
  await button('Revoke key').click();
  await message('was revoked').waitFor();
  expect(await validate(rotated)).toBe(404);
  await receiver.until((all) => all.filter(({ path }) => path === '/portal').length >= 3);
  const topics = receiver.received.map(({ body }) => JSON.parse(body || '{}').type);
  expect(topics).toEqual(expect.arrayContaining(['api-key.created', 'api-key.deleted']));
});

it('invites a viewer by email, who has the rights of a viewer in pages and requests', async () => {
  await go('Team');
  await page.keyboard.press('c');
  await page.getByLabel('Email addresses').fill('grace@example.com');
  await page.getByRole('radio', { name: /Viewer/ }).check();
  await dialog().getByRole('button', { name: 'Invite' }).click();
  await message('1 invitation sent').waitFor();
  const { text } = await mails.mailTo('grace@example.com');
  const [, path] = /https:\/\/keyward\.example\/dashboard(\/invitations\/\S+#token=[\w-]{43})/.exec(
    text,
  )!;
  const grace = await dashboard.open(path!, { role: null });
  await grace.page.getByLabel('Your name').fill('Grace Hopper');
  await grace.page.getByLabel('Password', { exact: true }).fill('a ship in harbour is safe');
  await grace.page.getByRole('button', { name: 'Join' }).click();
  await grace.page.getByRole('heading', { name: 'Overview' }).waitFor();
  await grace.page.getByRole('link', { name: 'Keys', exact: true }).click();
  await grace.page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  await expect.poll(() => grace.page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
  const rejected = await grace.page.evaluate(`fetch('/api-keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-keyward-account': '${dashboard.test.accountId}' },
    body: JSON.stringify({ name: 'Not allowed', projectId: '${dashboard.test.projectId}' }),
  }).then((response) => response.json())`);
  expect(rejected).toMatchObject({ statusCode: 403, code: 'scope_missing' });
  expect([grace.failures, grace.foreignRequests]).toEqual([[], []]);
});

it('is recorded in the audit log from start to end, without a secret', async () => {
  await go('Audit log');
  const log = page.getByRole('grid');
  await log.getByText('accepted the invitation').first().waitFor();
  const logText = (await log.textContent()) ?? '';
  for (const entry of [
    'created the project Shop',
    'created the access key Checkout',
    'created the key Northwind',
    'created the webhook Portal',
    'revoked the key Northwind',
    'invited grace@example.com',
  ])
    expect(logText).toContain(entry);
  for (const secret of [accessKey, apiKey, ADA.password]) expect(logText).not.toContain(secret);
  expect(dashboard.test.log.join()).not.toContain(apiKey);
  expect([opened.failures, opened.foreignRequests]).toEqual([[], []]);
});
