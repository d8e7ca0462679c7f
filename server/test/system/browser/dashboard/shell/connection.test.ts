import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
  const { client, projectId } = dashboard.test;
  for (const name of ['Acme', 'Globex']) await client.post('/api-keys', { name, projectId });
});
afterAll(() => dashboard?.close());

it('shows a banner while the connection is lost, and then loads the page that was opened meanwhile', async () => {
  const { page } = await dashboard.open('/');
  await page.route('**/assets/**', (route) => route.abort());
  await page.context().setOffline(true);
  const banner = page.getByText('Connection lost, retrying');
  await banner.waitFor();
  await page.getByRole('link', { name: 'Team' }).click();
  await expect.poll(() => page.url()).toContain('/team');
  await page.unrouteAll();
  await page.context().setOffline(false);
  await banner.waitFor({ state: 'detached' });
  await page.getByRole('grid', { name: 'Teammates' }).getByRole('row').nth(1).waitFor();
});

it('marks old search results as busy until the connection returns', async () => {
  const { page } = await dashboard.open(`/p/${dashboard.test.projectId}/keys`);
  const grid = page.getByRole('grid', { name: 'Keys' });
  await grid.getByText('Globex').waitFor();
  await page.context().setOffline(true);
  await page.getByText('Connection lost, retrying').waitFor();
  await page.getByRole('searchbox').fill('Acme');
  await expect.poll(() => grid.getAttribute('aria-busy')).toBe('true');
  expect(await grid.getByText('Globex').count()).toBe(1);
  await page.context().setOffline(false);
  await grid.getByText('Globex').waitFor({ state: 'detached' });
  await grid.getByText('Acme').waitFor();
  await expect.poll(() => grid.getAttribute('aria-busy')).toBe('false');
});
