import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolations } from '../dashboard/dashboard-browser.ts';
import { pressOn, typeInto } from '../dashboard/keyboard.ts';
import {
  CUSTOMER,
  createKey,
  type PortalBrowser,
  RETURN_URL,
  refresh,
  section,
  startPortal,
} from './portal-browser.ts';

let portal: PortalBrowser;

beforeAll(async () => {
  portal = await startPortal();
  const { client } = portal.test;
  const limits = [{ name: 'day', rateLimit: 1_000, rateLimitTtl: 86_400, per: 'customer' }];
  await client.post('/customers', {
    customAccountId: CUSTOMER,
    name: 'Northwind Traders',
    limits,
    credits: { remaining: 5_000 },
  });
  const { body } = await client.post('/api-keys', {
    name: 'Mobile app',
    customAccountId: CUSTOMER,
    rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 3_600 },
  });
  await client.post('/api-keys/auth', { key: body.key });
});
afterAll(() => portal?.close());

const dialog = (page: Page) => page.getByRole('dialog');

it('shows the customer, the branding, and what is left of limits and credits', async () => {
  const { page, failures } = await portal.open();
  await page.getByText('Northwind Traders').waitFor();
  const back = page.getByRole('link', { name: 'Back to Acme Cloud' });
  expect(await back.getAttribute('href')).toBe(RETURN_URL);
  const key = page.getByRole('listitem').filter({ hasText: 'Mobile app' });
  await key.getByText('9 left of 10 per hour').waitFor();
  const limits = section(page, 'Limits and credits');
  await limits.getByText('4,999').waitFor();
  await limits.getByText('1 of 1,000 used').waitFor();
  expect(failures).toEqual([]);
});

it('can change to a shorter range while the pointer is on a bar that only the longer range has', async () => {
  const { page, failures } = await portal.open();
  const usage = section(page, 'Usage');
  await usage.locator('.kw-chart svg').waitFor();
  await usage.getByLabel('Time range').selectOption('Last 30 days');
  await expect.poll(() => usage.locator('.kw-chart svg g').count()).toBeGreaterThan(20);
  const { width } = (await usage.locator('.kw-chart svg').boundingBox())!;
  await usage.locator('.kw-chart svg').hover({ position: { x: width - 2, y: 20 } });
  await usage.getByLabel('Time range').selectOption('Last 7 days');
  await expect.poll(() => usage.locator('.kw-chart svg g').count()).toBeLessThan(10);
  expect(failures).toEqual([]);
});

it.each([1280, 390])('has no accessibility violations at width %d', async (width) => {
  const { page, failures } = await portal.open({ width });
  await section(page, 'Limits and credits').waitFor();
  await section(page, 'Usage').locator('.kw-totals').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show as table' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  expect(await axeViolations(page)).toEqual([]);
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Checked');
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  await page.locator('[data-secret]').waitFor();
  await page.keyboard.press('Escape');
  expect(await axeViolations(page)).toEqual([]);
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(overflow)).toBe(0);
  expect(failures).toEqual([]);
});

it('keeps a value that is shown once: Escape warns, and the end of the session does not hide it', async () => {
  const { page, session } = await portal.open();
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Kept');
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  const value = (await page.locator('[data-secret]').textContent())!;
  expect(await dialog(page).locator('pre').textContent()).toContain(`-H 'x-api-key: ${value}'`);
  await page.keyboard.press('Escape');
  await dialog(page).getByText('The key will not be shown again').waitFor();
  await dialog(page).getByRole('button', { name: 'Stay' }).click();

  await portal.test.client.delete(`/portal-sessions/${session.id}`);
  await refresh(page);
  await page.getByText('Your session has ended').waitFor();
  expect(await page.locator('[data-secret]').textContent()).toBe(value);
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(value);
});

it('after the session has ended the page links to the returnUrl, also after a reload, and a new link opens the portal again', async () => {
  const { page, session } = await portal.open();
  await portal.test.client.delete(`/portal-sessions/${session.id}`);
  await refresh(page);
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  expect(await page.getByText('Mobile app').count()).toBe(0);
  const back = page.getByRole('link', { name: 'Back to Acme Cloud' });
  expect(await back.getAttribute('href')).toBe(RETURN_URL);
  expect(await axeViolations(page)).toEqual([]);

  await page.reload();
  await page.getByRole('heading', { name: 'This page must be opened from a link' }).waitFor();
  expect(await back.getAttribute('href')).toBe(RETURN_URL);
  expect(await axeViolations(page)).toEqual([]);

  // The same address but for the fragment: the browser does not load the page again.
  const next = await portal.createSession();
  await page.goto(next.url);
  await page.getByRole('heading', { name: 'Mobile app' }).waitFor();
  expect(page.url()).not.toContain('#');
});

it('deactivating the project ends the session', async () => {
  const { client, projectId } = portal.test;
  const { page } = await portal.open();
  await client.delete(`/projects/${projectId}`);
  await refresh(page);
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await client.patch(`/projects/${projectId}/reactivate`);
});

it('offers only what the session allows', async () => {
  const { page, traffic } = await portal.open({ session: { allow: ['keys:read'] } });
  await page.getByRole('heading', { name: 'Mobile app' }).waitFor();
  expect(await page.getByRole('button', { name: /Create|Rename|Rotate|Revoke/ }).count()).toBe(0);
  expect(await section(page, 'Usage').count()).toBe(0);
  expect(await page.getByText(/Limit|Credits/).count()).toBe(0);
  expect(traffic.responses.filter((text) => /^\S*\/portal\/(usage|limits)/.test(text))).toEqual([]);
});

it('lets the customer choose among the permissions of the session', async () => {
  const permissions = ['documents.read', 'documents.write'];
  const { page } = await portal.open({ session: { permissions } });
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Reader');
  await dialog(page).getByLabel('documents.write').uncheck();
  await dialog(page).getByLabel('documents.read').uncheck();
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  await dialog(page).getByText('Choose at least one permission.').waitFor();
  await dialog(page).getByLabel('documents.read').check();
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  const value = (await page.locator('[data-secret]').textContent())!;
  const { body } = await portal.test.client.get(`/api-keys/${value}`);
  expect(body.permissions).toEqual(['documents.read']);
});

it('works with the keyboard alone', async () => {
  const { page } = await portal.open();
  await pressOn(page, page.getByRole('button', { name: 'Create key' }));
  await typeInto(page, dialog(page).getByRole('textbox', { name: 'Name' }), 'Typed');
  await page.keyboard.press('Enter');
  await page.locator('[data-secret]').waitFor();
  await pressOn(page, dialog(page).getByRole('button', { name: 'Done' }));
  await pressOn(page, page.getByRole('button', { name: 'Revoke Typed' }));
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  const focused = "document.activeElement.getAttribute('aria-label')";
  expect(await page.evaluate(focused)).toBe('Revoke Typed');
  const slider = page.getByRole('slider', { name: /point in time/ });
  await slider.focus();
  const before = await slider.getAttribute('aria-valuetext');
  await page.keyboard.press('ArrowLeft');
  expect(await slider.getAttribute('aria-valuetext')).not.toBe(before);
});

it("uses the browser's language, and changes it", async () => {
  const { page } = await portal.open({ languages: ['de-AT', 'en'] });
  await page.getByRole('heading', { name: 'API-Schlüssel und Nutzung' }).waitFor();
  await page
    .getByText('Noch 9 von 10 pro Stunde')
    .or(page.getByText('10 pro Stunde'))
    .first()
    .waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  expect(await axeViolations(page)).toEqual([]);
  await page.getByLabel('Sprache').selectOption('English');
  await page.getByRole('heading', { name: 'API keys and usage' }).waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('en');
});

it('shows markup as text', async () => {
  const { client, projectId } = portal.test;
  const markup = '<img src=x onerror="window.executed=1"><script>window.executed=2</script>';
  await client.patch(`/projects/${projectId}`, {
    branding: { name: markup, accentColor: '#000000' },
  });
  await client.post('/customers', { customAccountId: markup, name: markup });
  await client.post('/api-keys', { name: markup, customAccountId: markup });
  const { page, failures } = await portal.open({ session: { customAccountId: markup } });
  await page.getByRole('heading', { name: markup, exact: true }).waitFor();
  await createKey(page, `${markup} again`);
  await page.getByRole('button', { name: `Rotate ${markup} again` }).click();
  await dialog(page).getByText(markup).first().waitFor();
  expect(await page.evaluate('window.executed')).toBeUndefined();
  expect(failures).toEqual([]);
});
