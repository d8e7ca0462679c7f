import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolations, type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard?.close());

it('shows on the sign-in page that there is no owner, until there is one', async () => {
  const { page } = await dashboard.open('/login', { role: null });
  await page.getByText('No owner yet').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await dashboard.open('/settings');
  await page.reload();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  await expect.poll(() => page.getByText('No owner yet').count()).toBe(0);
});

it('shows the quick start steps instead of zeros until a key is validated', async () => {
  const { client, projectId } = dashboard.test;
  const { page, failures } = await dashboard.open('/');
  const steps = page.getByRole('list', { name: 'Get started' });
  await steps.getByText('Create a key for a customer').waitFor();
  await expect.poll(() => page.getByRole('figure').count()).toBe(0);
  await expect.poll(() => page.getByText('No change').count()).toBe(0);
  expect(await axeViolations(page)).toEqual([]);

  const { body } = await client.post('/api-keys', { name: 'First', projectId });
  await page.reload();
  await steps.getByText('Create a key for a customer (done)').waitFor();
  await client.post(`/api-keys/auth/${body.key}`);
  await expect
    .poll(async () => {
      await page.reload();
      await page.getByRole('heading', { name: 'Most used keys' }).waitFor();
      return steps.count();
    })
    .toBe(0);
  await page.getByRole('figure', { name: 'Validations by outcome' }).waitFor();
  expect(failures).toEqual([]);
});
