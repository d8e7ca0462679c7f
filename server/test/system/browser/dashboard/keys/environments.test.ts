import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
let sandboxId: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  const { client, accountId } = dashboard.test;
  const sandbox = { name: 'Sandbox', env: 'test', accountId };
  sandboxId = (await client.post('/projects', sandbox)).body.id;
});
afterAll(() => dashboard?.close());

const livePath = (page: string) => `/p/${dashboard.test.projectId}${page}`;

describe('environment switch', () => {
  it.each(['/keys', '/webhooks', '/analytics', '/quick-start', ''])(
    'stays on the page %j',
    async (path) => {
      const { page, failures } = await dashboard.open(livePath(path));
      const title = await page.textContent('h1');
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.waitForURL((url) => url.pathname === `/dashboard/p/${sandboxId}${path}`);
      await expect.poll(() => page.textContent('h1')).toBe(title);
      expect(failures).toEqual([]);
    },
  );

  it('opens the list of keys from the page of a key', async () => {
    const { id } = (
      await dashboard.test.client.post('/api-keys', {
        name: 'One',
        projectId: dashboard.test.projectId,
      })
    ).body;
    const { page } = await dashboard.open(livePath(`/keys/${id}`));
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.waitForURL((url) => url.pathname === `/dashboard/p/${sandboxId}/keys`);
  });

  it('stays on an account page', async () => {
    const { page } = await dashboard.open(`/a/${dashboard.test.accountId}/team`);
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('button', { name: 'Switch project. Current: Sandbox, test' }).waitFor();
    expect(await page.textContent('h1')).toBe('Team');
  });

  it.each([1280, 390])('is the only place that shows the environment (%i px)', async (width) => {
    const { page } = await dashboard.open(livePath(''), { width });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(
      await page
        .getByText(/^live$/i)
        .filter({ visible: true })
        .count(),
    ).toBe(1);
  });
});

describe('viewer', () => {
  it('sees that access is view only', async () => {
    const { page } = await dashboard.open(livePath('/keys'), { role: 'viewer' });
    await page.getByRole('button', { name: 'View only' }).click();
    await page.getByText('Your role in').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});

describe('account', () => {
  it('can be renamed by an owner, and passes axe', async () => {
    const { page } = await dashboard.open(`/a/${dashboard.test.accountId}/account`);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Account name' }).fill('Acme Inc.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByText('Acme Inc.').first().waitFor();
    const { body } = await dashboard.test.client.get(`/accounts/${dashboard.test.accountId}`);
    expect(body.name).toBe('Acme Inc.');
  });

  it('cannot be renamed by an admin', async () => {
    const path = `/a/${dashboard.test.accountId}/account`;
    const { page } = await dashboard.open(path, { role: 'admin' });
    await page.getByText('Only owners can rename the account.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });
});
