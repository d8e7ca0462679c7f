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

const createKey = async (name: string, fields: object = {}) => {
  const { client, projectId } = dashboard.test;
  return (await client.post('/api-keys', { name, projectId, ...fields })).body;
};

it('lists leaks, and revokes leaked keys once the project says so', async () => {
  const { client, accountId } = dashboard.test;
  const leaky = await createKey('Leaky');
  await client.post('/leaks', {
    values: [leaky.key],
    source: 'nightly scan',
    url: 'https://ci.example/7',
  });
  opened = await dashboard.open(`/a/${accountId}/leaks`);
  const { page } = opened;
  const row = page.getByRole('row').filter({ hasText: 'Leaky' });
  await row.getByText('Active').waitFor();
  expect(await row.getByRole('link', { name: 'nightly scan' }).getAttribute('href')).toBe(
    'https://ci.example/7',
  );
  expect(await axeViolations(page)).toEqual([]);

  await page.goto(page.url().replace('/leaks', '/projects'));
  await page.getByRole('button', { name: 'Actions for Default project' }).click();
  await page.getByRole('menuitem', { name: /Edit/ }).click();
  await page.getByRole('checkbox', { name: 'Revoke leaked keys' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('was saved.').first().waitFor();
  const { body } = await client.post('/leaks', { values: [leaky.key], source: 'again' });
  expect(body).toEqual([{ keyId: leaky.id, action: 'revoked' }]);
});

it('shows on the page of a key that it has leaked, with "Revoke now" first', async () => {
  const { client } = dashboard.test;
  const { id: projectId } = (await client.post('/projects', { name: 'Public' })).body;
  const leaked = await createKey('Seen in public', { projectId });
  const report = { values: [leaked.key], source: 'a public gist', url: 'https://gist.example/1' };
  await client.post('/leaks', report);
  opened = await dashboard.open(`/p/${projectId}/keys/${leaked.id}`);
  const { page } = opened;
  const notice = page.getByRole('alert').filter({ hasText: 'has leaked' });
  await notice.getByRole('link', { name: 'a public gist' }).waitFor();
  await page.getByText('Leaked', { exact: true }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await notice.getByRole('button', { name: 'Revoke now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('This key is revoked').waitFor();
  await expect.poll(() => notice.count()).toBe(0);
});

it('rotates a leaked key and a leaked access key without grace', async () => {
  const { client } = dashboard.test;
  const { id: projectId } = (await client.post('/projects', { name: 'Rotated' })).body;
  const leaked = await createKey('Leaked, to be rotated', { projectId });
  const { body: access } = await client.post('/access-keys', { name: 'Leaked too', projectId });
  await client.post('/leaks', { values: [leaked.key, access.key], source: 'a gist' });
  opened = await dashboard.open(`/p/${projectId}/keys/${leaked.id}`);
  const { page } = opened;
  const dialog = page.getByRole('dialog');
  const rotate = async () => {
    await dialog.getByText('The old value stops working immediately').waitFor();
    expect(await dialog.getByRole('combobox').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    await page.locator('[data-secret]').waitFor();
  };
  await page.getByRole('button', { name: 'Rotate', exact: true }).click();
  await rotate();
  const validated = await client.post('/api-keys/auth', { key: leaked.key });
  expect(validated.status).toBe(404);

  await page.goto(`${dashboard.test.url}/dashboard/p/${projectId}/access-keys?open=${access.id}`);
  await dialog.getByText('The value of this key has leaked').waitFor();
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
  await rotate();
  const used = await client.get('/projects', { 'x-api-key': access.key });
  expect(used.status).toBe(401);
});

it('keeps the current project while the pointer is on a key of another one', async () => {
  const { client, accountId, projectId } = dashboard.test;
  const { body: other } = await client.post('/projects', { name: 'Another' });
  const leaked = await createKey('Pointed at', { projectId: other.id });
  await client.post('/leaks', { values: [leaked.key], source: 'a paste' });
  opened = await dashboard.open(`/p/${projectId}`);
  const { page } = opened;
  const keys = page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Keys', exact: true });
  const before = await keys.getAttribute('href');
  await page.goto(`${dashboard.test.url}/dashboard/a/${accountId}/leaks`);
  const loaded = page.waitForRequest((request) => request.url().includes('/key-page'));
  await page.getByRole('link', { name: 'Pointed at' }).hover();
  await loaded;
  expect(await keys.getAttribute('href')).toBe(before);
});

it('calls expired and revoked keys inactive', async () => {
  const { client, accountId } = dashboard.test;
  const [expired, revoked] = [await createKey('Leaked, expired'), await createKey('Leaked, gone')];
  await client.post('/leaks', { values: [expired.key, revoked.key], source: 'a paste' });
  const expiry = new Date(Date.now() - 60_000).toISOString();
  await client.patch(`/api-keys/${expired.id}`, { name: expired.name, expiry });
  await client.delete(`/api-keys/${revoked.id}`);
  opened = await dashboard.open(`/a/${accountId}/leaks`);
  for (const { name } of [expired, revoked])
    await opened.page.getByRole('row', { name }).getByText('Inactive').waitFor();
});

it('shows leaked keys first in the overview, until they are revoked', async () => {
  const { client } = dashboard.test;
  const { body: project } = await client.post('/projects', { name: 'Leaking' });
  const leaked = await createKey('Found', { projectId: project.id });
  const { body: access } = await client.post('/access-keys', {
    name: 'Found too',
    projectId: project.id,
  });
  const expiry = new Date(Date.now() + 86_400_000).toISOString();
  let ending = await createKey('Ends soon', { projectId: project.id, expiry });
  // The old keys end sooner, but have been replaced.
  for (let n = 0; n < 4; n++)
    ending = (await client.post(`/api-keys/${ending.id}/rotate`, { graceSeconds: 3_600 })).body;
  await client.post('/leaks', { values: [leaked.key], source: 'a paste' });
  await client.post('/leaks', { values: [leaked.key, access.key], source: 'a log' });
  opened = await dashboard.open(`/p/${project.id}`);
  const { page } = opened;
  const concerns = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
  await expect
    .poll(async () => (await concerns.allTextContents()).toSorted())
    .toEqual([
      expect.stringContaining('Ends soon'),
      'Found tooLeaked, and still active: found in a log',
      'FoundLeaked, and still active: found in a log',
    ]);
  expect(await concerns.last().textContent()).toContain('Ends soon');
  expect(await axeViolations(page)).toEqual([]);
  await concerns.filter({ hasText: 'Found too' }).getByRole('link').click();
  await page.getByRole('heading', { name: 'Leaks', level: 1 }).waitFor();

  await client.delete(`/api-keys/${leaked.id}`);
  await client.delete(`/access-keys/${access.id}`);
  await page.goto(page.url().replace(/\/a\/.*/, `/p/${project.id}`));
  await expect
    .poll(() => concerns.allTextContents())
    .toEqual([expect.stringContaining('Ends soon')]);
});

it('shows usable keys with few credits in the overview, and how often they were refused once none are left', async () => {
  const { client, app } = dashboard.test;
  const { body: project } = await client.post('/projects', { name: 'Paying' });
  const fields = { projectId: project.id, credits: { remaining: 5 } };
  const spent = await createKey('Nearly spent', fields);
  await createKey('Full', fields);
  const use = () => client.post('/api-keys/auth', { key: spent.key });
  const storeUse = async () => {
    // A flush in progress does not include the latest use.
    await app.credits.transactionsDone();
    await app.credits.flush();
    await app.tally.flush();
  };
  for (let n = 0; n < 4; n++) await use();
  const empty = { projectId: project.id, credits: { remaining: 0 } };
  const expired = await createKey('Expired', empty);
  const expiry = new Date(Date.now() - 60_000).toISOString();
  await client.patch(`/api-keys/${expired.id}`, { name: 'Expired', expiry });
  const rotated = await createKey('Rotated', empty);
  await client.post(`/api-keys/${rotated.id}/rotate`, { graceSeconds: 3_600 });
  for (let n = 0; n < 4; n++) {
    const { key } = await createKey('Refused', empty);
    await client.post('/api-keys/auth', { key });
  }
  await storeUse();
  opened = await dashboard.open(`/p/${project.id}`);
  const { page } = opened;
  const concerns = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
  const refused = 'RefusedOut of credits: refused 1 time since yesterday (UTC)';
  await expect
    .poll(() => concerns.allTextContents())
    .toEqual([...Array(4).fill(refused), 'Rotated0 credits left', 'Nearly spent1 credit left']);

  for (let n = 0; n < 3; n++) await use();
  await storeUse();
  await page.reload();
  await expect
    .poll(() => concerns.allTextContents())
    .toEqual([
      expect.stringMatching(/^Nearly spentOut of credits: refused 2 times/),
      ...Array(3).fill(refused),
      'Rotated0 credits left',
    ]);
});

it('shows recent refusals on the page of a key', async () => {
  const { client, projectId, app } = dashboard.test;
  const { id, key } = await createKey('Refused');
  const needs = { key, permissions: ['documents.write'] };
  // Ten a minute are recorded, and a new minute may begin meanwhile.
  for (let n = 0; n < 30; n++) await client.post('/api-keys/auth', needs);
  await app.tally.flush();
  opened = await dashboard.open(`/p/${projectId}/keys/${id}`);
  const card = opened.page.getByRole('region', { name: 'Recent refusals' });
  await card.getByText('needs documents.write').first().waitFor();
  expect(await card.getByRole('listitem').count()).toBe(10);
  await card.getByText(/^\d+ other refusals not recorded/).waitFor();
  expect(await axeViolations(opened.page)).toEqual([]);
});

it('shows recent refusals of a customer with the names of its keys, and no others', async () => {
  const { client, projectId, app } = dashboard.test;
  const own = await createKey('Scanner', { customAccountId: 'cyberdyne' });
  const other = await createKey('Other', { customAccountId: 'tyrell' });
  for (const { key } of [own, other])
    await client.post('/api-keys/auth', { key, permissions: ['documents.write'] });
  await app.tally.flush();
  opened = await dashboard.open(`/p/${projectId}/customers/cyberdyne`);
  const { page } = opened;
  const card = page.getByRole('region', { name: 'Recent refusals' });
  const row = card.getByRole('listitem');
  await expect
    .poll(() => row.allTextContents())
    .toEqual([expect.stringMatching(/^Permission deniedScannerneeds documents\.write/)]);
  expect(await axeViolations(page)).toEqual([]);
  await card.getByRole('link', { name: 'Scanner' }).click();
  await page.getByRole('heading', { name: 'Scanner', level: 1 }).waitFor();
});
