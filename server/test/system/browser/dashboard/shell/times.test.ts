import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PAGE_TIMEOUT_MS } from '../../../../harness/browser.ts';
import { type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
  const { client, projectId } = dashboard.test;
  const { body } = await client.post('/api-keys', { name: 'Acme', projectId });
  for (let call = 0; call < 3; call++) await client.post(`/api-keys/auth/${body.key}`);
});
afterAll(() => dashboard?.close());

/** Adds `ms` to the creation times in the list of keys. */
const shiftCreationTimes = (page: Page, ms: number) =>
  page.route('**/api-keys?*', async (route) => {
    const response = await route.fetch({ timeout: PAGE_TIMEOUT_MS });
    const list = await response.json();
    for (const item of list)
      item.createdAt = new Date(Date.parse(item.createdAt) + ms).toISOString();
    await route.fulfill({ response, json: list });
  });

const createdCell = (page: Page) => page.getByRole('row').nth(1).locator('time').last();

it('times are up to date after a page without times', async () => {
  const { page } = await dashboard.open(`/p/${dashboard.test.projectId}/quick-start`);
  // As if three minutes had passed on a page without times, and the key was created during them.
  await page.evaluate('const now = Date.now; Date.now = () => now() + 180_000');
  await shiftCreationTimes(page, 120_000);
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await expect.poll(() => createdCell(page).textContent()).toMatch(/minutes? ago|seconds ago/);
});

it('times of past events are never in the future, even if the clock of the server is ahead', async () => {
  const { page } = await dashboard.open('/settings');
  await shiftCreationTimes(page, 86_400_000);
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await expect.poll(() => createdCell(page).textContent()).toBe('now');
});

it('times are in one zone on all pages, and the same range has the same total', async () => {
  const { page } = await dashboard.open('/settings');
  await page.getByText('UTC', { exact: true }).click();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('By outcome. Times are in UTC.').waitFor();
  const tile = page.locator('dl').first();
  await expect.poll(() => tile.textContent()).toContain('Validations3');
  // The page also reads the previous range again from time to time.
  const overview = page.waitForRequest(
    (request) =>
      request.url().includes('groupBy=outcome') && request.url().includes('interval=day'),
  );
  await page.getByText('30 days').click();
  const query = new URL((await overview).url()).searchParams;
  await page.goto('about:blank');
  const analytics = page.waitForRequest((request) => request.url().includes('groupBy=outcome'));
  await page.goto(
    `${dashboard.test.url}/dashboard/p/${dashboard.test.projectId}/analytics?range=30d`,
  );
  const same = new URL((await analytics).url()).searchParams;
  for (const name of ['from', 'to', 'timezone']) expect(same.get(name)).toBe(query.get(name));
  await page.getByRole('heading', { name: '3 validations' }).waitFor();
});

it('times are in the time zone of the user for months too, on every page with usage', async () => {
  const { projectId } = dashboard.test;
  const { body } = await dashboard.test.client.get('/api-keys');
  const { page } = await dashboard.open('/settings');
  const timezoneId = 'Pacific/Auckland';
  const browser = await page.context().newCDPSession(page);
  await browser.send('Emulation.setTimezoneOverride', { timezoneId });
  const month = await page.evaluate(
    `const now = new Date(); [new Date(now.getFullYear(), now.getMonth() - 1), new Date(now.getFullYear(), now.getMonth())].map((at) => at.toISOString())`,
  );
  for (const path of ['', '/analytics', `/keys/${body[0].id}`]) {
    // Unload the previous page, which may still send requests.
    await page.goto('about:blank');
    const usage = page.waitForRequest((request) => request.url().includes('groupBy=outcome'));
    await page.goto(`${dashboard.test.url}/dashboard/p/${projectId}${path}?range=last-month`);
    const query = new URL((await usage).url()).searchParams;
    expect([query.get('from'), query.get('to')], path).toEqual(month);
    expect(query.get('timezone'), path).toBe(timezoneId);
  }
  await browser.detach();
});
