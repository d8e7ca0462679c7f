import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardOptions,
  type DashboardPage,
  startDashboard,
} from './dashboard-browser.ts';

const ATTACK = '=HYPERLINK("http://evil")<img src=x onerror="violated(1)">';

let dashboard: DashboardBrowser;
let opened: DashboardPage;
beforeAll(async () => {
  dashboard = await startDashboard();
  const { client, projectId, app } = dashboard.test;
  const make = async (body: object) =>
    (await client.post('/api-keys', { projectId, ...body })).body;
  const acme = await make({ name: 'Acme', customAccountId: 'cus_acme' });
  const limited = await make({
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
  expect(opened.elsewhere).toEqual([]);
});

describe('analytics', () => {
  it('are counted by outcome, and by key with a link to each, whatever its name', async () => {
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
    await page.getByRole('columnheader', { name: 'Period before' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'cus_acme' });
    await expect
      .poll(() => row.getByRole('gridcell').allTextContents())
      .toEqual(['cus_acme', '7', '100%', '0', '0', 'new']);
    await expect.poll(() => page.locator('[data-reference] polyline').count()).toBe(2);
    await expect.poll(() => page.getByRole('radio', { name: 'Weeks' }).isChecked()).toBe(true);
  });

  it('are downloaded as CSV in which no name is a formula', async () => {
    const page = await openPage('?by=key');
    await page.getByRole('link', { name: 'Acme' }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/by-key-hour\.csv$/);
    const text = readFileSync(await file.path(), 'utf8');
    expect(text).toMatch(/^group,name,date,total,valid,/);
    expect(text).toMatch(/^key_\w+,Acme,[\d:.TZ-]+,7,7,0/m);
    expect(text).toContain(`"'=HYPERLINK(""http://evil"")`);
  });

  it.each(['light', 'dark'] as const)('pass axe (%s)', async (scheme) => {
    const page = await openPage('?by=key&compare=true', { scheme });
    await page.getByRole('link', { name: 'Acme' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show as table' }).click();
    expect(await axeViolations(page)).toEqual([]);
  });
});
