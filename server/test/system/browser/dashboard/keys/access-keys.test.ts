import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardPage,
  startDashboard,
} from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
let opened: DashboardPage;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard?.close());

const openPage = async (options = {}) => {
  opened = await dashboard.open(`/p/${dashboard.test.projectId}/access-keys`, options);
  return opened.page;
};

afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

const named = async (name: string) =>
  (await dashboard.test.client.get('/access-keys')).body.find(
    (one: { name: string }) => one.name === name,
  );

const create = async (name: string) =>
  (
    await dashboard.test.client.post('/access-keys', {
      name,
      projectId: dashboard.test.projectId,
      scopes: ['keys:validate'],
    })
  ).body;

describe('access keys', () => {
  it('are created from a preset, shown once, and removed from the page when it closes', async () => {
    const page = await openPage();
    await page.keyboard.press('c');
    await page.getByLabel('Name').fill('Checkout');
    await page.getByRole('dialog').getByRole('button', { name: 'Create access key' }).click();
    const value = (await page.locator('[data-secret]').textContent())!;
    expect(value).toMatch(/^live_access_/);
    await expect
      .poll(() => page.locator('dialog pre').textContent())
      .toContain(`x-api-key: ${value}`);
    expect(await named('Checkout')).toMatchObject({
      scopes: ['keys:validate'],
      projectId: dashboard.test.projectId,
    });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('gridcell', { name: 'Checkout', exact: true }).waitFor();
    expect(await page.content()).not.toContain(value);
    const stored = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');
    expect(stored).not.toContain(value);
    expect(page.url()).not.toContain(value);
    const response = await dashboard.test.client
      .as(value)
      .post('/api-keys/auth', { key: 'live_nothing' });
    expect(response.status).toBe(404);
  });

  it('accept scopes, a level, an expiry and a limit, and show errors', async () => {
    const page = await openPage();
    await page.getByRole('button', { name: 'Create access key' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create access key' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name').fill('Reports');
    await page.getByRole('radio', { name: 'Whole account' }).check();
    await page.getByRole('radio', { name: 'Custom' }).check();
    await page.getByRole('checkbox', { name: /keys:validate/ }).uncheck();
    await page.getByRole('checkbox', { name: /analytics:read/ }).check();
    await page.getByLabel('Expires').selectOption('In 30 days');
    await page.getByRole('checkbox', { name: 'Limit management requests' }).check();
    await page.getByLabel('Requests', { exact: true }).fill('0');
    await page.getByRole('dialog').getByRole('button', { name: 'Create access key' }).click();
    await page.getByText('as a whole number, 1 or more').waitFor();
    await page.getByLabel('Requests', { exact: true }).fill('60');
    await page.getByRole('dialog').getByRole('button', { name: 'Create access key' }).click();
    await page.locator('[data-secret]').waitFor();
    expect(await named('Reports')).toMatchObject({
      scopes: ['analytics:read'],
      projectId: null,
      rateLimitConfigs: { rateLimit: 60, rateLimitTtl: 60 },
    });
  });

  it('are edited, rotated with a grace period, and revoked with undo', async () => {
    const { id, key } = await create('Portal');
    const page = await openPage();
    const act = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for Portal' }).first().click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await act('Edit…');
    await page.getByRole('radio', { name: 'Manage keys' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('gridcell', { name: 'Manage keys' }).waitFor();
    await act('Revoke…');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('gridcell', { name: 'Revoked' }).waitFor();
    expect((await dashboard.test.client.as(key).get('/api-keys')).status).toBe(401);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('gridcell', { name: 'Revoked' }).waitFor({ state: 'detached' });
    expect((await dashboard.test.client.as(key).get('/api-keys')).status).toBe(200);
    await act('Rotate…');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const value = (await page.locator('[data-secret]').textContent())!;
    for (const valid of [key, value])
      expect((await dashboard.test.client.as(valid).get('/api-keys')).status).toBe(200);
    const old = await dashboard.test.client.get(`/access-keys/${id}`);
    expect(old.body.expiresAt).not.toBeNull();
  });

  it('do not run scripts in a name', async () => {
    const attack = '<img src=x onerror="violated(1)">\'"><script>violated(2)</script>';
    const { id } = await create(attack);
    const page = await openPage();
    await page.getByRole('gridcell', { name: attack, exact: true }).click();
    await page.getByRole('dialog').getByRole('heading', { name: attack }).waitFor();
    await expect.poll(() => page.url()).toContain(id);
    expect(await page.locator('img, main script').count()).toBe(0);
  });

  it('pass axe in both themes', async () => {
    await create('Seen by axe');
    const page = await openPage();
    const cell = page.getByRole('gridcell', { name: 'Seen by axe', exact: true });
    await cell.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await cell.click();
    await page.waitForSelector('dialog[open]');
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create access key' }).first().click();
    await page.getByRole('radio', { name: 'Custom' }).check();
    expect(await axeViolations(page)).toEqual([]);
  });
});
