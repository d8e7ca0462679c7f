import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
let webhookId: string;
beforeAll(async () => {
  dashboard = await startDashboard({ webhookAllow: ['127.0.0.0/8'] });
  const { client, projectId } = dashboard.test;
  const scopes = ['keys:validate'];
  await client.post('/access-keys', { name: 'Portal', projectId, scopes });
  const hook = await client.post('/webhooks', {
    name: 'Billing',
    projectId,
    // No server listens on this port, so that sending a test message fails.
    url: 'http://127.0.0.1:1/hooks',
    topics: ['api-key.created'],
  });
  webhookId = hook.body.id;
});
afterAll(() => dashboard?.close());

/** Opens and checks the dialogs of some items of a menu. */
async function checkDialogs(page: Page, menu: string, items: readonly string[]) {
  for (const item of items) {
    await page.getByRole('button', { name: menu }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await page.waitForSelector('dialog[open]');
    expect(await axeViolations(page), item).toEqual([]);
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog[open]', { state: 'detached' });
  }
}

async function checkSecret(page: Page, button: string) {
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
  await page.locator('[data-secret]').waitFor();
  expect(await axeViolations(page)).toEqual([]);
}

describe('in both themes', () => {
  it('the dialogs of access keys pass axe', async () => {
    const path = `/p/${dashboard.test.projectId}/access-keys`;
    const { page } = await dashboard.open(path);
    await checkDialogs(page, 'Actions for Portal', ['Edit…', 'Rotate…', 'Revoke…']);
    await page.keyboard.press('c');
    await page.getByRole('textbox', { name: 'Name' }).fill('New');
    await checkSecret(page, 'Create access key');
  });

  it('the dialogs of a webhook pass axe', async () => {
    const path = `/p/${dashboard.test.projectId}/webhooks/${webhookId}`;
    const { page } = await dashboard.open(path);
    await checkDialogs(page, 'More actions', [
      'Pause…',
      'Replay events…',
      'Rotate secret…',
      'Delete…',
    ]);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.waitForSelector('dialog[open]');
    expect(await axeViolations(page)).toEqual([]);
  });

  it('the test and the new secret of a webhook pass axe', async () => {
    const path = `/p/${dashboard.test.projectId}/webhooks`;
    const { page } = await dashboard.open(path);
    await page.keyboard.press('c');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('New');
    await page.getByLabel('Endpoint URL').fill('http://127.0.0.1:1/hooks');
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText(/^No response:/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await checkSecret(page, 'Create webhook');
  });

  it('the dialogs of projects and ranges pass axe', async () => {
    const { page } = await dashboard.open(`/a/${dashboard.test.accountId}/projects`);
    await checkDialogs(page, 'Actions for Default project', ['Edit…']);
    const range = await dashboard.open(`/p/${dashboard.test.projectId}/analytics`);
    await range.page.getByText('Custom', { exact: true }).click();
    await range.page.getByText('Both dates are included').waitFor();
    expect(await axeViolations(range.page)).toEqual([]);
    expect([...range.failures, ...range.foreignRequests]).toEqual([]);
  });
});
