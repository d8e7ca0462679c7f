import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestPerson } from '../../../../harness/test-person.ts';
import { totp } from '../../../../harness/totp.ts';
import { axeViolations, type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'a long way from home' };

let dashboard: DashboardBrowser;
let cookies: ReadonlyMap<string, string>;
beforeAll(async () => {
  dashboard = await startDashboard();
  const ada = createTestPerson(dashboard.test.url);
  await ada.post('/auth/setup', { token: dashboard.test.setupToken, ...ADA });
  cookies = ada.cookies;
});
afterAll(() => dashboard?.close());

const submit = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

/** Presses Escape twice, because Chrome closes a dialog on the second one without an event. */
async function expectStaysOpen(page: Page, warning: string) {
  await page.locator('[data-secret]').waitFor();
  const value = await page.locator('[data-secret]').first().textContent();
  await page.keyboard.press('Escape');
  await page.getByText(warning).waitFor();
  await page.keyboard.press('Escape');
  expect(await page.locator('[data-secret]').first().textContent()).toBe(value);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close anyway' }).click();
  await page.locator('[data-secret]').waitFor({ state: 'detached' });
}

it('does not lose a new access key on Escape', async () => {
  const { page } = await dashboard.open(`/p/${dashboard.test.projectId}/access-keys`, { cookies });
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: 'Name' }).fill('Checkout');
  await submit(page, 'Create access key');
  await expectStaysOpen(page, 'This value will not be shown again');
});

it('does not lose the secret of a new webhook on Escape', async () => {
  const { page } = await dashboard.open(`/p/${dashboard.test.projectId}/webhooks`, { cookies });
  await page.keyboard.press('c');
  await page.getByLabel('Name', { exact: true }).fill('Portal');
  await page.getByLabel('Endpoint URL').fill('https://hooks.example.com/keyward');
  await submit(page, 'Create webhook');
  await expectStaysOpen(page, 'This secret will not be shown again');
});

it('does not lose an invitation link on Escape', async () => {
  const { page } = await dashboard.open(`/a/${dashboard.test.accountId}/team`, { cookies });
  await page.keyboard.press('c');
  await page.getByLabel('Email addresses').fill('grace@example.com');
  await submit(page, 'Invite');
  await expectStaysOpen(page, 'These links will not be shown again');
});

it('does not lose recovery codes on Escape', async () => {
  const { page } = await dashboard.open('/settings', { cookies });
  await page.getByRole('button', { name: 'Turn on…' }).click();
  await page.getByLabel('Your password', { exact: true }).fill(ADA.password);
  await page.getByRole('button', { name: 'Continue' }).click();
  const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  await page.getByLabel('Six-digit code').fill(totp(secret, Date.now()));
  await submit(page, 'Turn on');
  await expectStaysOpen(page, 'These codes will not be shown again');
});

it('does not lose a new key when the user goes back', async () => {
  const { page } = await dashboard.open(`/p/${dashboard.test.projectId}/webhooks`);
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Acme');
  await submit(page, 'Create key');
  const secret = page.locator('[data-secret]');
  const value = await secret.textContent();
  await page.evaluate('history.back()');
  await page.getByText('This value will not be shown again').waitFor();
  expect(await secret.textContent()).toBe(value);
  await submit(page, 'Done');
  await secret.waitFor({ state: 'detached' });

  // Each dialog has an entry in the history, so that two entries back is still the list of keys.
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Globex');
  await submit(page, 'Create key');
  await secret.waitFor();
  await page.evaluate('history.go(-2)');
  await page.getByText('This value will not be shown again').waitFor();
  await submit(page, 'Done');
  await secret.waitFor({ state: 'detached' });
  await page.evaluate('history.go(-3)');
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
});

it('asks before discarding a form, but only if it has changes', async () => {
  const { page } = await dashboard.open(`/p/${dashboard.test.projectId}/keys`);
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Acme');
  await page.keyboard.press('Escape');
  await page.getByText('Discard your changes?').waitFor();
  await page.getByRole('button', { name: 'Stay' }).click();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Acme');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Discard your changes?').waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Acme');
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});
