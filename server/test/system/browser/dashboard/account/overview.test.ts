import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableTotals } from '../chart-table.ts';
import { axeViolations, type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

const ATTACK = '<img src=x onerror=alert(1)>';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
  const { client, projectId } = dashboard.test;
  const rateLimitConfigs = { rateLimit: 3, rateLimitTtl: 3600 };
  const { body } = await client.post('/api-keys', { name: ATTACK, projectId, rateLimitConfigs });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  await client.post('/api-keys', { name: 'Ends soon', projectId, expiry: inDays(3) });
  await client.post('/api-keys', { name: 'Ends late', projectId, expiry: inDays(90) });
  for (let call = 0; call < 5; call++) await client.post(`/api-keys/auth/${body.key}`);
});
afterAll(() => dashboard?.close());

describe('overview', () => {
  it('shows outcomes, the most used key, and keys at their limit', async () => {
    const { page, failures } = await dashboard.open('/');
    await page.getByRole('button', { name: 'Show as table' }).click();
    await expect.poll(() => tableTotals(page, 2)).toEqual([3, 2]);
    await page.getByText('Rate limited 2 times since yesterday (UTC)').waitFor();
    await page.getByText('Expires in 3 days').waitFor();
    expect(await page.getByText('Ends late').count()).toBe(0);
    const top = page.getByRole('list', { name: 'Most used keys' });
    await expect.poll(() => top.getByRole('link').textContent()).toBe(ATTACK);
    expect(await page.locator('img').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    expect(failures).toEqual([]);
  });
});

it('the overview has a chart that can be read with the arrow keys', async () => {
  const { page } = await dashboard.open('/');
  const cursor = page.getByRole('slider');
  await cursor.focus();
  const textAfter = async (key: string) => {
    await page.keyboard.press(key);
    return (await cursor.getAttribute('aria-valuetext')) ?? '';
  };
  // The validations may have been in the previous hour.
  await expect
    .poll(async () => `${await textAfter('End')} ${await textAfter('ArrowLeft')}`)
    .toContain('Valid 3');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => cursor.getAttribute('aria-valuetext')).toContain('Valid 0');
});

it('the overview keeps the range in the URL', async () => {
  const { page } = await dashboard.open('/');
  await page.getByText('30 days').click();
  await expect.poll(() => new URL(page.url()).search).toBe('?range=30d');
  await page.reload();
  await expect.poll(() => page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
});
