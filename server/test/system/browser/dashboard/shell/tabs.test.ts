import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard?.close());

const STORED = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, window.left ?? null])`;

describe('reused tab', () => {
  it('reports errors of the page', async () => {
    const { page, failures } = await dashboard.open('/', { scheme: 'dark', width: 390 });
    await page.evaluate(`localStorage.left = sessionStorage.left = window.left = 'something'`);
    await page.evaluate(`setTimeout(() => { throw new Error('thrown by the page') })`);
    await page.evaluate(`fetch('https://elsewhere.example/').catch(() => {})`);
    await expect.poll(() => failures.join()).toContain('thrown by the page');
    await expect.poll(() => failures.join()).toContain('connect-src https://elsewhere.example');
    await page.route('**/*', (route) => route.continue());
  });

  it('has no state of the previous test', async () => {
    const { page, failures, foreignRequests } = await dashboard.open('/login', { role: null });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(STORED)).toBe('[{},{},null]');
    expect(await page.context().cookies()).toEqual([]);
    expect(
      await page.evaluate(`[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]`),
    ).toEqual([1280, false]);
    expect([failures, foreignRequests]).toEqual([[], []]);
  });
});
