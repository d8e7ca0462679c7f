import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardOptions,
  type DashboardPage,
  startDashboard,
} from '../dashboard-browser.ts';

const ATTACK = '=HYPERLINK("http://evil")<img src=x onerror="violated(1)">';

let dashboard: DashboardBrowser;
let opened: DashboardPage;
beforeAll(async () => {
  dashboard = await startDashboard();
  const { client, projectId, app } = dashboard.test;
  const create = async (body: object) =>
    (await client.post('/api-keys', { projectId, ...body })).body;
  const acme = await create({ name: 'Acme', customAccountId: 'cus_acme' });
  const limited = await create({
    name: ATTACK,
    customAccountId: 'cus_limited',
    rateLimitConfigs: { rateLimit: 2, rateLimitTtl: 3600 },
  });
  for (let n = 0; n < 7; n++) await client.post(`/api-keys/auth/${acme.key}`);
  for (let n = 0; n < 5; n++) await client.post(`/api-keys/auth/${limited.key}`);
  await app.tally.flush();
});
afterAll(() => dashboard?.close());

const openPage = async (search = '', options: DashboardOptions = {}) => {
  opened = await dashboard.open(`/p/${dashboard.test.projectId}/analytics${search}`, options);
  return opened.page;
};

afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

describe('analytics', () => {
  it('by access key include account-level ones', async () => {
    const page = await openPage('?by=accessKey');
    await page.getByText('The counts of account-level access keys').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'First access key' });
    await expect.poll(() => row.textContent()).toContain('12');
  });

  it('are counted by outcome, and by key with a link to each key', async () => {
    const page = await openPage();
    await page.getByRole('heading', { name: '12 validations' }).waitFor();
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await expect
      .poll(() => row('Valid').getByRole('gridcell').allTextContents())
      .toEqual(['Valid', '9']);
    await expect.poll(() => row('Rate limited').last().textContent()).toContain('3');
    await page.getByLabel('Group by').selectOption('Key');
    await page.getByRole('link', { name: 'Acme' }).waitFor();
    await expect.poll(() => row('HYPERLINK').textContent()).toContain('40%');
    expect(await page.locator('img').count()).toBe(0);
    await expect.poll(() => page.url()).toContain('by=key');
  });

  it('are compared with the previous period, by customer, in a URL that can be shared', async () => {
    const page = await openPage('?by=customAccountId&range=30d&interval=week&compare=true');
    await page.getByRole('columnheader', { name: 'Previous period' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'cus_acme' });
    await expect
      .poll(() => row.getByRole('gridcell').allTextContents())
      .toEqual(['cus_acme', '7', '100%', '0', '0', 'new']);
    await expect.poll(() => page.locator('[data-reference] polyline').count()).toBe(2);
    await expect.poll(() => page.getByRole('radio', { name: 'Weeks' }).isChecked()).toBe(true);
  });

  it('are downloaded as CSV without formulas in names', async () => {
    const page = await openPage('?by=key');
    await page.getByRole('link', { name: 'Acme' }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/by-key-hour-\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\.csv$/);
    const text = readFileSync(await file.path(), 'utf8');
    expect(text).toMatch(/^group,name,date,total,valid,/);
    expect(text).toMatch(/^key_\w+,Acme,[\d:.TZ-]+,7,7,0/m);
    expect(text).toContain(`"'=HYPERLINK(""http://evil"")`);
  });

  it('drill down from an outcome to its keys', async () => {
    const page = await openPage();
    await page.getByRole('row').filter({ hasText: 'Rate limited' }).last().click();
    await page.getByRole('button', { name: 'Remove filter Outcome: Rate limited' }).waitFor();
    await page.getByRole('heading', { name: '3 validations' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'HYPERLINK' }).waitFor();
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Acme' }).count()).toBe(0);
  });

  it('drill down from a customer to its keys', async () => {
    const page = await openPage('?by=customAccountId');
    await page.getByRole('row').filter({ hasText: 'cus_acme' }).click();
    await page.getByRole('heading', { name: '7 validations' }).waitFor();
    await page.getByRole('button', { name: 'Customer: cus_acme', exact: true }).waitFor();
    expect(await page.getByLabel('Group by').locator('option').allTextContents()).not.toContain(
      'Access key',
    );
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('account'), searchParams.get('by')]).toEqual(['cus_acme', 'key']);
  });

  it('show the cost if requests did not cost 1, and drill down from a plan to its customers', async () => {
    const { client } = dashboard.test;
    const project = (await client.post('/projects', { name: 'Costly' })).body;
    const key = { name: 'Heavy', projectId: project.id, customAccountId: 'cus_heavy' };
    const { id } = (await client.post('/api-keys', key)).body;
    await client.post('/usage', {
      reporter: 'reporter-of-the-test',
      number: 1,
      agoMs: 0,
      counts: [{ keyId: id, outcome: 'valid', count: 2, cost: 1_050 }],
    });
    opened = await dashboard.open(`/p/${project.id}/analytics?by=plan`);
    const { page } = opened;
    await page.getByRole('heading', { name: '2 validations, cost 1,050' }).waitFor();
    const row = (text: string) => page.getByRole('row').filter({ hasText: text });
    await expect
      .poll(() => row('None').getByRole('gridcell').allTextContents())
      .toEqual(['None', '2', '1,050', '100%', '0']);
    await row('None').click();
    await page.getByRole('button', { name: 'Remove filter Plan: None' }).waitFor();
    await expect
      .poll(() => row('cus_heavy').getByRole('gridcell').allTextContents())
      .toEqual(['cus_heavy', '2', '1,050', '100%', '0']);
  });

  it('can be filtered by a key, found by name', async () => {
    const page = await openPage();
    await page.getByRole('button', { name: 'Filter by Key' }).click();
    await page.getByRole('textbox', { name: 'Find a key' }).fill('acm');
    await page.getByRole('button', { name: /^Acme/ }).click();
    await page.getByRole('heading', { name: '7 validations' }).waitFor();
    await page.getByRole('button', { name: 'Remove filter Key: Acme' }).click();
    await page.getByRole('heading', { name: '12 validations' }).waitFor();
  });

  it('offer calendar months, and start a custom range with the current dates', async () => {
    const page = await openPage();
    await page.getByText('Last month', { exact: true }).click();
    await expect.poll(() => page.url()).toContain('range=last-month');
    const now = new Date();
    const day = (month: number, of: number) =>
      new Date(Date.UTC(now.getFullYear(), now.getMonth() + month, of)).toISOString().slice(0, 10);
    const [first, last] = [day(-1, 1), day(0, 0)];
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    expect((await download).suggestedFilename()).toContain(`${first}_${last}.csv`);
    await page.getByText('Custom', { exact: true }).click();
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(first);
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(last);
  });

  it('show attempts with unknown and malformed values', async () => {
    const { client, app } = dashboard.test;
    await client.post('/api-keys/auth', { key: `live_${'A'.repeat(49)}` });
    await client.post('/api-keys/auth', { key: 'no-such-key-at-all' });
    await app.tally.flush();
    const page = await openPage();
    // With longer buckets, the server would count more than the range of the page.
    const request = page.waitForRequest((request) => request.url().includes('groupBy=accessKey'));
    await page.getByText('24 hours', { exact: true }).click();
    expect(new URL((await request).url()).searchParams.get('interval')).toBe('hour');
    const card = page.getByRole('region', { name: 'Unrecognized keys' });
    await card.getByRole('row', { name: /First access key · All projects 1 1/ }).waitFor();
  });

  it('pass axe in both themes', async () => {
    const page = await openPage('?by=key&compare=true');
    await page.getByRole('link', { name: 'Acme' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show as table' }).click();
    expect(await axeViolations(page)).toEqual([]);
  });
});
