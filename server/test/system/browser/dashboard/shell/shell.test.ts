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

const open: DashboardBrowser['open'] = async (path, options) => {
  opened = await dashboard.open(path, options);
  return opened;
};

/** No CSP violation, no exception, and no request to another origin in any test. */
afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

const focused = () => opened.page.evaluate('document.activeElement?.textContent');

describe('in both themes', () => {
  it.each([
    ['/login', null],
    ['/', 'owner'],
    ['/p/prj_none/keys', 'owner'],
  ] as const)('%s passes axe', async (path, role) => {
    const { page } = await open(path, { role });
    expect(await axeViolations(page)).toEqual([]);
  });

  it('the command palette passes axe, also on a phone', async () => {
    const { page } = await open('/', { width: 390 });
    await page.getByRole('button', { name: 'Search or jump to…' }).click();
    await page.getByRole('combobox').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});

it('has no transition at all if the user prefers reduced motion', async () => {
  const { page } = await open('/');
  const properties = await page.evaluate(`[
    ...new Set([...document.querySelectorAll('*')].map((each) => getComputedStyle(each).transitionProperty)),
  ]`);
  expect(properties).toEqual(['none']);
});

describe('a signed-out user', () => {
  it('is redirected to the sign-in page, with the requested page as next', async () => {
    const { page } = await open(`/p/${dashboard.test.projectId}/keys`, { role: null });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const { pathname, searchParams } = new URL(page.url());
    expect(pathname).toBe('/dashboard/login');
    expect(searchParams.get('next')).toBe(`/p/${dashboard.test.projectId}/keys`);
  });
});

describe('navigation', () => {
  it('moves the focus to the heading of the new page, and sets the title', async () => {
    const { page } = await open('/');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await expect.poll(focused).toBe('Keys');
    expect(await page.title()).toBe('Keys · Keyward');
  });

  it('has keyboard shortcuts, which can be turned off', async () => {
    const { page } = await open('/');
    // Again, if a busy machine let too much time pass between the two keys.
    const webhooks = page.getByRole('heading', { name: 'Webhooks', level: 1 });
    await expect
      .poll(async () => {
        await page.keyboard.press('g');
        await page.keyboard.press('w');
        return webhooks.count();
      })
      .toBe(1);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.getByRole('switch').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('audit');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  });

  it('skips to the content', async () => {
    const { page } = await open('/');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('content');
  });

  it('is in a sheet on a phone, without horizontal scrolling', async () => {
    const { page } = await open('/', { width: 390 });
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    expect(await page.locator('dialog[open]').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('keeps the selected theme after a reload', async () => {
    const { page } = await open('/');
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    await page.reload();
    await page.waitForSelector('h1');
    const background = await page.evaluate(
      'getComputedStyle(document.documentElement).backgroundColor',
    );
    expect(background).toBe('rgb(15, 16, 18)');
  });

  it('shows a page for an unknown path', async () => {
    const { page } = await open('/nowhere/at/all');
    await expect.poll(() => page.textContent('h1')).toBe('Page not found');
  });
});
