import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolations, type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard?.close());

it('links both keys to each other, and does not offer to rotate the old one again', async () => {
  const { client, projectId } = dashboard.test;
  const { body: old } = await client.post('/api-keys', { name: 'Acme', projectId });
  const graceSeconds = 86_400;
  const { body: created } = await client.post(`/api-keys/${old.id}/rotate`, { graceSeconds });

  const { page } = await dashboard.open(`/p/${projectId}/keys/${old.id}`);
  await page.getByText('This key was rotated').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(await page.getByText('This key expires soon').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0);
  await page.getByRole('link', { name: 'View the new key' }).click();
  await page.waitForURL(`**/keys/${created.id}`);
  await page.getByRole('button', { name: 'Rotate' }).waitFor();
  await page.getByRole('link', { name: old.id }).click();
  await page.waitForURL(`**/keys/${old.id}`);
  await page.getByRole('link', { name: created.id }).waitFor();

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('No keys expire soon', { exact: false }).waitFor();
});

it('also links rotated access keys', async () => {
  const { client, projectId } = dashboard.test;
  const body = { name: 'Checkout', projectId, scopes: ['keys:validate'] };
  const { body: old } = await client.post('/access-keys', body);
  const { body: created } = await client.post(`/access-keys/${old.id}/rotate`, {
    graceSeconds: 86_400,
  });
  const { page } = await dashboard.open(`/p/${projectId}/access-keys?open=${old.id}`);
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('button', { name: 'Revoke' }).waitFor();
  expect(await sheet.getByRole('button', { name: 'Rotate' }).count()).toBe(0);
  await sheet.getByRole('link', { name: created.id }).click();
  await sheet.getByRole('button', { name: 'Rotate' }).waitFor();
  await sheet.getByRole('link', { name: old.id }).waitFor();
});
