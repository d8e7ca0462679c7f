import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../../../webhooks/receiver.ts';
import { type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  dashboard = await startDashboard({ webhookAllow: ['127.0.0.1/32'] });
});
afterAll(() => Promise.all([dashboard?.close(), receiver?.close()]));

/** Opens the overview, and counts the clicks from there. */
async function start() {
  const { page } = await dashboard.open('/');
  await page.evaluate(`window.clicks = 0;
    addEventListener('pointerdown', () => { window.clicks += 1; }, true)`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  return {
    page,
    button,
    go: (name: string) =>
      page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link', { name, exact: true })
        .click(),
    search: async (text: string) => {
      await page.getByRole('button', { name: 'Search or jump to…' }).click();
      await page.getByRole('combobox').fill(text);
    },
    clicks: () => page.evaluate('window.clicks'),
  };
}

const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });

describe('clicks of everyday tasks:', () => {
  it('creating the first key takes four', async () => {
    const { page, go, button, clicks } = await start();
    await go('Keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Acme');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    expect(await page.locator('[data-secret]').textContent()).toMatch(/^live_/);
    await button('Done').click();
    expect(await clicks()).toBe(4);
  });

  it('finding who revoked a key takes two', async () => {
    const { client, projectId } = dashboard.test;
    const { body } = await client.post('/api-keys', { name: 'Northwind', projectId });
    await client.delete(`/api-keys/${body.id}`);
    const { page, search, clicks } = await start();
    await search('Northwind');
    await option(page, 'Changes to Northwind').click();
    await page.getByText('revoked the key').waitFor();
    expect(await clicks()).toBe(2);
  });

  it('giving a person read access to one project takes five', async () => {
    const { client, accountId } = dashboard.test;
    await client.post('/projects', { name: 'Sandbox', env: 'test', accountId });
    const { page, go, clicks } = await start();
    await go('Team');
    await page.getByRole('button', { name: 'Invite', exact: true }).first().click();
    await page.getByLabel('Email addresses').fill('grace@example.com');
    await page.getByRole('radio', { name: /Viewer/ }).check();
    await page.getByLabel('Sandbox (test)').check();
    await page.getByRole('button', { name: 'Invite', exact: true }).last().click();
    await page.getByRole('dialog').locator('code').waitFor();
    expect(await clicks()).toBe(5);
  });

  it('finding why a customer gets 429 takes two', async () => {
    const { client, projectId } = dashboard.test;
    const { body } = await client.post('/api-keys', {
      name: 'Umbrella',
      customAccountId: 'cus_umbrella',
      projectId,
      rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 3600 },
    });
    for (const status of [200, 429])
      expect((await client.post(`/api-keys/auth/${body.key}`)).status).toBe(status);
    const { page, search, clicks } = await start();
    await search('cus_umbrella');
    await option(page, /^Umbrella/)
      .first()
      .click();
    await page
      .getByText(/1 (request )?per hour/)
      .first()
      .waitFor();
    await page
      .getByText(/Rate limited/)
      .first()
      .waitFor();
    expect(await clicks()).toBe(2);
  });

  it("retrying yesterday's failed deliveries takes three", async () => {
    const { client, projectId, storage } = dashboard.test;
    const hook = { name: 'Portal', topics: ['api-key.created'], projectId };
    await client.post('/webhooks', { ...hook, url: `${receiver.url}/error/portal` });
    await client.post('/api-keys', { name: 'Initech', projectId });
    await receiver.until((all) => all.length > 0);
    await storage.transaction((tx) =>
      tx.updateTable('deliveries').set({ status: 'failed' }).execute(),
    );
    const { page, button, clicks } = await start();
    await page.getByRole('link', { name: /Portal/ }).click();
    await button('Retry all failed…').click();
    await button('Retry all failed').click();
    await page.getByText('1 delivery queued for retry.').first().waitFor();
    expect(await clicks()).toBe(3);
  });

  it('exporting last month takes three', async () => {
    const { page, go, button, clicks } = await start();
    await go('Analytics');
    await page.getByText('Last month', { exact: true }).click();
    const download = page.waitForEvent('download');
    await button('Download CSV').click();
    expect((await download).suggestedFilename()).toMatch(/\.csv$/);
    expect(await clicks()).toBe(3);
  });
});
