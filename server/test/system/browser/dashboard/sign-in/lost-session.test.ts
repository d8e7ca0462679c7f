import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PAGE_TIMEOUT_MS } from '../../../../harness/browser.ts';
import { createTestPerson } from '../../../../harness/test-person.ts';
import { axeViolations, type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';
import { TIMEOUT_FACTOR } from '../tabs.ts';

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'a long way from home' };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard?.close());

async function signIn(page: Page) {
  await page.getByLabel('Email').fill(ADA.email);
  await page.getByLabel('Password', { exact: true }).fill(ADA.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

it('offers to sign in if the setup timed out', async () => {
  const path = `/setup#token=${dashboard.test.setupToken}`;
  const { page } = await dashboard.open(path, { role: null });
  await page.getByLabel('Email').fill(ADA.email);
  await page.getByLabel('Your name').fill(ADA.name);
  await page.getByLabel('Password', { exact: true }).fill(ADA.password);
  // The server creates the user, but its response does not arrive.
  const created = Promise.withResolvers<unknown>();
  await page.route('**/auth/setup', (route) =>
    created.resolve(route.fetch({ timeout: PAGE_TIMEOUT_MS })),
  );
  await page.evaluate(`
    usual = AbortSignal.timeout;
    AbortSignal.timeout = (ms) => usual(ms / ${5 * TIMEOUT_FACTOR})`);
  await page.getByRole('button', { name: 'Create owner' }).click();
  await page.getByText('Your user was probably created.').waitFor();
  await page.evaluate('AbortSignal.timeout = usual');
  expect(await axeViolations(page)).toEqual([]);
  await created.promise;
  await page.getByRole('link', { name: 'Sign in' }).click();
  await signIn(page);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});

it('keeps an open form, and says that the session has ended', async () => {
  const { client, projectId, url } = dashboard.test;
  const ada = createTestPerson(url);
  await ada.post('/auth/sign-in', { email: ADA.email, password: ADA.password });
  const { body } = await client.post('/api-keys', { name: 'Acme', projectId });
  const { page, failures } = await dashboard.open(`/p/${projectId}/keys/${body.id}`, {
    cookies: ada.cookies,
  });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Edit key' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Acme, Inc.');
  await page.context().clearCookies();
  await form.getByRole('button', { name: 'Save' }).click();
  const signInDialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await signInDialog.getByText('Your changes are kept.').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await signIn(page);
  await signInDialog.waitFor({ state: 'detached' });
  expect(await form.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Acme, Inc.');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Acme, Inc.', level: 1 }).waitFor();
  expect(failures).toEqual([]);
});

it('asks before discarding the form for the sign-in page', async () => {
  const { projectId } = dashboard.test;
  const { page } = await dashboard.open(`/p/${projectId}/keys?create=true`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Globex');
  await page.context().clearCookies();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Go to sign-in page' }).click();
  await page.getByText('Sign in again to continue where you were.').waitFor();
});

it('opens the sign-in page although a value is shown, if the user confirms it', async () => {
  const { projectId } = dashboard.test;
  const { page } = await dashboard.open(`/p/${projectId}/keys?create=true`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Initech');
  // The session ends as soon as the key is created, so that the list cannot be loaded again.
  await page.route('**/api-keys', async (route) => {
    const response = await route.fetch({ timeout: PAGE_TIMEOUT_MS });
    await page.context().clearCookies();
    await route.fulfill({ response });
  });
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.locator('[data-secret]').waitFor();
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Go to sign-in page' }).click();
  await page.getByText('Sign in again to continue where you were.').waitFor();
});
