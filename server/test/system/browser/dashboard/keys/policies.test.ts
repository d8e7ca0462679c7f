import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
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
afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

const open = async (path: string) => {
  opened = await dashboard.open(`/p/${dashboard.test.projectId}/keys${path}`);
  return opened.page;
};
const create = async (name: string, more = {}) =>
  (await dashboard.test.client.post('/api-keys', { name, ...more })).body;

it('permissions, addresses and tags are checked while typing, and saved', async () => {
  await create('Other', { permissions: ['documents.read'], tags: ['beta'] });
  const key = await create('Edited');
  const page = await open(`/${key.id}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const permissions = dialog.getByRole('textbox', { name: 'Permissions' });
  await permissions.fill('billing*');
  await dialog.getByText('“billing*” is not a permission').waitFor();
  await permissions.fill('billing.*');
  await dialog.getByText('billing.* grants billing.read and billing.read.own').waitFor();
  await dialog.getByRole('button', { name: 'Add documents.read' }).click();
  const addresses = dialog.getByRole('textbox', { name: 'Allowed IP addresses' });
  await addresses.fill('10.0.0');
  await dialog.getByText('“10.0.0” is not an IP address').waitFor();
  await addresses.fill('10.0.0.0/8');
  await dialog.getByRole('button', { name: 'Add beta' }).click();
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { body } = await dashboard.test.client.get(`/api-keys/${key.id}`);
  expect(body).toMatchObject({
    permissions: ['billing.*', 'documents.read'],
    allowedIPs: ['10.0.0.0/8'],
    tags: ['beta'],
  });
});

it('trying a key explains each check, and counts nothing', async () => {
  const key = await create('Tried', { permissions: ['documents.*'], allowedIPs: ['10.0.0.0/8'] });
  const page = await open(`/${key.id}`);
  await page.getByRole('textbox', { name: 'Required permissions' }).fill('documents.read users');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('The key would be refused: ip_denied').waitFor();
  await page.getByText('Permissions (not checked)').waitFor();
  await page.getByRole('textbox', { name: 'Client IP address' }).fill('10.1.2.3');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('A permission is missing: users').waitFor();
  await page.getByRole('textbox', { name: 'Required permissions' }).fill('documents.read');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('The key would be accepted').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  const { body } = await dashboard.test.client.get(`/api-keys/${key.id}`);
  expect(body.firstUsedAt).toBeNull();
});

it('the list can be filtered by tag', async () => {
  await create('Tagged', { tags: ['gold'] });
  const page = await open('');
  await page.getByRole('row', { name: 'Tagged' }).waitFor();
  await page.getByRole('button', { name: 'Filter by Tag' }).click();
  await page.getByText('gold', { exact: true }).click();
  await page.getByRole('button', { name: 'Remove filter Tag: gold' }).waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
});
