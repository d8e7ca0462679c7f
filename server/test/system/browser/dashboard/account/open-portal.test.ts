import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolations, type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

/** "Open as this customer" on the page of a customer. */
let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard({ isLocal: true });
  const { client, projectId } = dashboard.test;
  for (const customAccountId of ['wayne', 'another'])
    await client.post('/api-keys', { name: `Of ${customAccountId}`, customAccountId, projectId });
});
afterAll(() => dashboard?.close());

const open = (role: 'developer' | 'viewer' = 'developer') =>
  dashboard.open(`/p/${dashboard.test.projectId}/customers/wayne`, { role });
const button = (page: Page) => page.getByRole('button', { name: 'Open as this customer' });
const press = async (page: Page): Promise<Page> =>
  (await Promise.all([page.waitForEvent('popup'), button(page).click()]))[0];

it('"Open as this customer" opens the portal in a tab that cannot reach the dashboard, with the token in no URL', async () => {
  const { page, failures, foreignRequests } = await open();
  await button(page).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  const urls: string[] = [];
  const referrers: string[] = [];
  page.context().on('request', (request) => {
    urls.push(request.url().split('#')[0]!);
    if (request.url().includes('/portal/')) referrers.push(request.headers().referer ?? '');
  });
  const tab = await press(page);
  await tab.getByRole('heading', { name: 'Of wayne' }).waitFor();
  expect(await tab.getByText('Of another').count()).toBe(0);
  expect(await tab.evaluate('[window.opener, document.referrer, history.length]')).toEqual([
    null,
    '',
    1,
  ]);
  expect(tab.url()).toBe(`${dashboard.test.url}/portal/${dashboard.test.projectId}/`);
  expect(urls.some((url) => url.endsWith('/portal/session'))).toBe(true);
  expect(urls.join()).not.toContain('portal_');
  expect(new Set(referrers)).toEqual(new Set(['']));
  const query = '/audit-logs?action=portal-session.created&limit=1';
  expect((await dashboard.test.client.get(query)).body).toMatchObject([
    { actorType: 'user', after: { customAccountId: 'wayne' } },
  ]);
  await tab.close();
  expect([failures, foreignRequests]).toEqual([[], []]);
});

it('"Open as this customer" says why it failed, and leaves no empty tab', async () => {
  const { page } = await open();
  await page.route('**/portal-sessions', (route) => {
    const body = { statusCode: 400, code: 'invalid_request', message: 'Not now' };
    return route.fulfill({ status: 400, json: body });
  });
  const tab = await press(page);
  await page.getByText('Not now').first().waitFor();
  await expect.poll(() => tab.isClosed()).toBe(true);
  await page.evaluate('window.open = () => null');
  await button(page).click();
  await page.getByText('The browser blocked the new tab').first().waitFor();
});

it('"Open as this customer" is not offered to viewers', async () => {
  const { page } = await open('viewer');
  await page.getByRole('button', { name: 'View only' }).waitFor();
  expect(await button(page).count()).toBe(0);
});
