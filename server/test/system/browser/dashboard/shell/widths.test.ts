import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
let planId: string;
let customerId: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  const { client, projectId } = dashboard.test;
  const name = 'A key whose name is much longer than any column could be';
  await client.post('/api-keys', { name, projectId, customAccountId: 'northwind-traders' });
  const limits = [{ name: 'month', rateLimit: 1_000_000, rateLimitTtl: 2_592_000 }];
  const credits = { amount: 1_000_000_000, interval: 'month' };
  const plan = await client.post('/plans', { name, projectId, limits, credits });
  const settings = { planId: plan.body.id, limits, tags: ['enterprise', 'eu-central'] };
  await client.post('/customers', { name, projectId, customAccountId: name, ...settings });
  planId = plan.body.id;
  customerId = encodeURIComponent(name);
});
afterAll(() => dashboard?.close());

/** Runs in the page: what is wider than the space it has, after the page has adapted to its width. */
const OVERFLOWING = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve([
  ...[...document.querySelectorAll('[role=grid]')]
    .filter((grid) => grid.scrollWidth > grid.clientWidth)
    .map(() => 'a table'),
  ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
]))))`;

const pages = () => [
  `/p/${dashboard.test.projectId}/keys`,
  `/p/${dashboard.test.projectId}/customers`,
  `/p/${dashboard.test.projectId}/customers/${customerId}`,
  `/p/${dashboard.test.projectId}/plans`,
  `/p/${dashboard.test.projectId}/plans/${planId}`,
  `/p/${dashboard.test.projectId}/access-keys`,
  `/p/${dashboard.test.projectId}/webhooks`,
  `/a/${dashboard.test.accountId}/projects`,
  `/a/${dashboard.test.accountId}/team`,
  `/a/${dashboard.test.accountId}/audit-log`,
];

const WIDTHS = [1440, 1280, 1024, 768, 390];

it(`tables and pages fit at ${WIDTHS.join(', ')} px`, async () => {
  const { page } = await dashboard.open('/');
  const tooWide: string[] = [];
  for (const path of pages()) {
    await page.goto(`${dashboard.test.url}/dashboard${path}`);
    await page.locator('[data-index], h2').first().waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const found = await page.evaluate<string[]>(OVERFLOWING);
      tooWide.push(...found.map((what) => `${what} of ${path} at ${width} px`));
    }
  }
  expect(tooWide).toEqual([]);
});
