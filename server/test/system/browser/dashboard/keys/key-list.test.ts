import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardBrowser, type DashboardPage, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
let opened: DashboardPage;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard?.close());

const openKeys = async (search = '') => {
  opened = await dashboard.open(`/p/${dashboard.test.projectId}/keys${search}`);
  return opened.page;
};

afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

const create = async (name: string, more = {}) =>
  (await dashboard.test.client.post('/api-keys', { name, ...more })).body;

const row = (name: string) => opened.page.getByRole('row', { name });
const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
const dialog = () => opened.page.getByRole('dialog');
const allRows = () => opened.page.getByRole('checkbox', { name: 'Select all rows' });
const message = (text: string) =>
  opened.page.getByRole('region', { name: 'Messages' }).getByText(text);

describe('list of keys', () => {
  it('shows the total, short masks, and filters by customer without a dialog', async () => {
    for (let n = 0; n < 3; n++) await create(`Hooli ${n}`, { customAccountId: 'hooli' });
    const { key } = await create('No customer');
    const { count } = (await dashboard.test.client.get('/api-keys/count')).body;
    const page = await openKeys();
    await page.getByText(`${count} keys`, { exact: true }).waitFor();
    await page.getByText(`${key.slice(0, 11)}…`, { exact: true }).waitFor();
    await button('Filter by Customer').click();
    await page.getByRole('textbox', { name: 'Customer ID' }).fill('hooli');
    await page.keyboard.press('Enter');
    await page.getByText('3 keys', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('account')).toBe('hooli');
    await button('Customer: hooli').click();
    await page.getByRole('checkbox', { name: 'Only keys without a customer' }).check();
    await button('Apply').click();
    await row('No customer').waitFor();
    await button('Remove filter Customer: None').waitFor();
    expect(await row('Hooli 1').count()).toBe(0);
  });

  it('selects all keys, and updates, exports, revokes and deletes them together', async () => {
    const keys = [
      await create('Vandelay 1'),
      await create('Vandelay 2'),
      await create('Vandelay 3'),
    ];
    const page = await openKeys('?search=Vandelay');
    await row('Vandelay 3').waitFor();
    await allRows().check();
    await page.getByText('3 keys selected').waitFor();
    await button('Set rate limit…').click();
    await dialog().getByRole('textbox', { name: 'Requests' }).fill('none');
    await button('Update 3 keys').click();
    await dialog().getByText('whole number').waitFor();
    await dialog().getByRole('textbox', { name: 'Requests' }).fill('7');
    await button('Update 3 keys').click();
    await message('3 keys were updated').waitFor();
    for (const { id } of keys) {
      const { body } = await dashboard.test.client.get(`/api-keys/${id}`);
      expect(body.rateLimitConfigs).toEqual({ rateLimit: 7, rateLimitTtl: 60 });
    }

    await allRows().check();
    const download = page.waitForEvent('download');
    await button('Export CSV').click();
    const file = readFileSync(await (await download).path(), 'utf8');
    expect(file.match(/Vandelay \d/g)).toHaveLength(3);
    for (const { key } of keys) expect(file).not.toContain(key);

    await button('Revoke 3…').click();
    await button('Revoke 3 keys').click();
    await message('3 keys were revoked').waitFor();
    await allRows().check();
    await button('Delete permanently…').click();
    await dialog().getByRole('textbox').fill('delete');
    await button('Delete 3 keys permanently').click();
    await message('3 keys were deleted permanently').waitFor();
    const left = await dashboard.test.client.get('/api-keys/count?search=Vandelay');
    expect(left.body.count).toBe(0);
  });

  it('shows that a key has not started, in the list and on its page', async () => {
    const startsAt = new Date(Date.now() + 86_400_000).toISOString();
    await create('Initech', { startsAt });
    const page = await openKeys('?search=Initech');
    const status = row('Initech').getByRole('gridcell').filter({ hasText: 'Not started' });
    await status.waitFor();
    expect(await status.evaluate((cell) => cell.scrollWidth <= cell.clientWidth)).toBe(true);
    await row('Initech').getByRole('link').click();
    await page.getByText('Not started', { exact: true }).waitFor();
    await page.getByText('This key has not started').waitFor();
  });

  it('removes the expiry of several keys', async () => {
    const expiry = new Date(Date.now() + 86_400_000).toISOString();
    const { id } = await create('Soylent', { expiry });
    await openKeys('?search=Soylent');
    await row('Soylent').getByRole('checkbox').check();
    await button('Set expiry…').click();
    await dialog().getByLabel('Expires').selectOption('never');
    await button('Update 1 key').click();
    await message('1 key was updated').waitFor();
    expect((await dashboard.test.client.get(`/api-keys/${id}`)).body.expiresAt).toBeNull();
  });

  it('acts on one key from its row, by keyboard', async () => {
    const { id } = await create('Row menu');
    const page = await openKeys('?search=Row%20menu');
    await row('Row menu').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Copy ID' }).waitFor();
    await page.getByRole('menuitem', { name: 'Revoke…' }).press('Enter');
    await button('Revoke key').click();
    await message('was revoked').waitFor();
    expect((await dashboard.test.client.get(`/api-keys/${id}`)).body.isActive).toBe(false);
  });
});
