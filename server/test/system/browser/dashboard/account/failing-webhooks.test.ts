import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../../../webhooks/receiver.ts';
import { type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
let receiver: Receiver;
let webhookId: string;
beforeAll(async () => {
  receiver = await startReceiver();
  dashboard = await startDashboard({ webhookAllow: ['127.0.0.1/32'] });
  const { client, projectId } = dashboard.test;
  const hook = { name: 'Portal', topics: ['api-key.created'], projectId };
  const { body } = await client.post('/webhooks', { ...hook, url: `${receiver.url}/error/portal` });
  webhookId = body.id;
  await client.post('/api-keys', { name: 'Acme', projectId });
  await receiver.until((all) => all.some(({ path }) => path === '/error/portal'));
});
afterAll(() => Promise.all([dashboard?.close(), receiver?.close()]));

it('failing webhooks are listed on the overview while they are still being retried', async () => {
  const { page } = await dashboard.open('/');
  await page.getByText('1 of the last 1 deliveries failing').waitFor();
  await page.getByRole('link', { name: /Portal/ }).click();
  await page.getByRole('gridcell', { name: 'Failed, retrying' }).waitFor();
  await page.getByRole('gridcell', { name: 'Acme' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Acme' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Time', { exact: true }).selectOption('Last 24 hours');
  await expect.poll(() => page.url()).toContain('since=24h');
  await page.getByRole('gridcell', { name: 'Failed, retrying' }).waitFor();
});

it('failing webhooks have a button that retries all failed deliveries', async () => {
  const { storage } = dashboard.test;
  await storage.transaction((tx) =>
    tx.updateTable('deliveries').set({ status: 'failed' }).execute(),
  );
  const before = receiver.received.length;
  const { page } = await dashboard.open(`/p/${dashboard.test.projectId}/webhooks/${webhookId}`);
  await page.getByRole('button', { name: 'Retry all failed…' }).click();
  await page.getByRole('button', { name: 'Retry all failed', exact: true }).click();
  const messages = page.getByRole('region', { name: 'Messages' });
  await messages.getByText('1 delivery queued for retry.').waitFor();
  await receiver.until((all) => all.length > before);
});
