import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardOptions,
  type DashboardPage,
  startDashboard,
} from '../dashboard-browser.ts';

const ATTACK = '<img src=x onerror="violated(1)">';

let dashboard: DashboardBrowser;
let opened: DashboardPage;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard?.close());

const openPage = async (options: DashboardOptions = {}) => {
  opened = await dashboard.open(`/a/${dashboard.test.accountId}/projects`, options);
  return opened.page;
};

afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

const create = async (name: string, env: 'live' | 'test') =>
  (
    await dashboard.test.client.post('/projects', {
      name,
      env,
      accountId: dashboard.test.accountId,
    })
  ).body;

describe('projects', () => {
  it('are created for an environment without one, and can be switched', async () => {
    const page = await openPage();
    const side = page.getByRole('navigation', { name: 'Main' });
    await side.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Default sandbox');
    await page.getByRole('dialog').getByRole('button', { name: 'Create project' }).click();
    await page
      .getByRole('button', { name: 'Switch project. Current: Default sandbox, test' })
      .waitFor();
    await side.getByRole('button', { name: 'Live', exact: true }).click();
    await page
      .getByRole('button', { name: 'Switch project. Current: Default project, live' })
      .waitFor();
    await expect.poll(() => page.url()).toContain(dashboard.test.projectId);
  });

  it('are renamed, deactivated with their keys, and reactivated', async () => {
    const { id } = await create('Shop', 'live');
    const { client } = dashboard.test;
    const { key } = (await client.post('/api-keys', { name: 'Ada', projectId: id })).body;
    const validates = async () => (await client.post(`/api-keys/auth/${key}`)).status;
    const page = await openPage();
    const act = async (name: string, item: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await act('Shop', 'Edit…');
    await page.getByRole('textbox', { name: 'Name' }).fill(ATTACK);
    await page.getByRole('textbox', { name: 'Key prefix' }).fill('live_');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('live_ is reserved').waitFor();
    await page.getByRole('textbox', { name: 'Key prefix' }).fill('shop_');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('gridcell', { name: ATTACK, exact: true }).waitFor();
    const prefixed = await client.post('/api-keys', { name: 'Bob', projectId: id });
    expect(prefixed.body.key).toMatch(/^shop_/);
    expect(await page.locator('img').count()).toBe(0);
    await act(ATTACK, 'Deactivate…');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('its keys are refused with 404').waitFor();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await dialog.getByText(`The text does not match ${ATTACK}.`).waitFor();
    expect(await validates()).toBe(200);
    await dialog.getByRole('textbox').fill(ATTACK);
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('gridcell', { name: 'Inactive' }).waitFor();
    expect(await validates()).toBe(404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('gridcell', { name: 'Inactive' }).waitFor({ state: 'detached' });
    expect(await validates()).toBe(200);
  });

  it('get a name, a color and sites for their portal', async () => {
    const { id } = await create('Portal project', 'live');
    const page = await openPage();
    await page.getByRole('button', { name: 'Actions for Portal project' }).click();
    await page.getByRole('menuitem', { name: 'Customer portal…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Portal of Portal project' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill(ATTACK);
    await dialog.getByLabel('Accent color').fill('#0b6e4f');
    await dialog.getByRole('textbox', { name: 'Sites' }).fill('https://app.example.com/');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await dashboard.test.client.get(`/projects/${id}`);
    expect(body.branding).toEqual({ name: ATTACK, logo: null, accentColor: '#0b6e4f' });
    expect(body.portalOrigins).toEqual(['https://app.example.com']);
  });

  it('have settings for notices and usage events', async () => {
    const { id } = await create('Noticed', 'live');
    const page = await openPage();
    await page.getByRole('button', { name: 'Actions for Noticed' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const days = page.getByRole('textbox', { name: 'Announce expiring keys' });
    await expect.poll(() => days.inputValue()).toBe('30, 7, 1');
    await days.fill('14, 400');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter whole days from 1 to 365.').waitFor();
    await days.fill('3, 14');
    await page
      .getByRole('textbox', { name: 'Announce limits that are nearly used up' })
      .fill('50%, 100');
    await page.getByRole('textbox', { name: 'Email addresses' }).fill('ops@example.com');
    await page.getByLabel('Usage events').selectOption('Every day, by customer');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Noticed was saved.').first().waitFor();
    const { body } = await dashboard.test.client.get(`/projects/${id}`);
    expect(body).toMatchObject({
      notices: { expiryDays: [14, 3], thresholds: [0.5, 1], mailTo: ['ops@example.com'] },
      usageEvents: { interval: 'day', groupBy: 'customer' },
    });
  });

  it('are read-only for developers', async () => {
    const page = await openPage({ role: 'developer' });
    await page.getByRole('gridcell', { name: 'Default project' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create project' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0);
  });

  it('pass axe in both themes', async () => {
    await create('Axe', 'test');
    const page = await openPage();
    const cell = page.getByRole('gridcell', { name: 'Axe', exact: true });
    await cell.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('c');
    await page.waitForSelector('dialog[open]');
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions for Axe' }).click();
    await page.getByRole('menuitem', { name: 'Deactivate…' }).click();
    await page.waitForSelector('dialog[open]');
    expect(await axeViolations(page)).toEqual([]);
  });
});
