import type { Browser, Page } from 'playwright-core';
import { launchBrowser, PAGE_TIMEOUT_MS } from '../e2e/browser.ts';

/** What a page must not do, as it is found. */
export interface Watch {
  /** Where it comes from: requests to anybody else are told. */
  readonly origin: string;
  readonly failures: string[];
  readonly elsewhere: string[];
}

/** A page that test after test may have: to make one costs more than to open an address in it. */
export interface Tab {
  readonly page: Page;
  watch: Watch;
}

/** One for all files of tests that this process takes; it ends with the process. */
let browser: Promise<Browser> | undefined;
const idle: Tab[] = [];

export async function takeTab(watch: Watch): Promise<Tab> {
  const tab = idle.pop();
  if (tab === undefined) return newTab(watch);
  tab.watch = watch;
  return tab;
}

async function newTab(watch: Watch): Promise<Tab> {
  browser ??= launchBrowser();
  // Colours on their way from one to another have the contrast of neither.
  const context = await (await browser).newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const tab = { page, watch };
  page.on('pageerror', (error) => tab.watch.failures.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== tab.watch.origin && protocol !== 'data:')
      tab.watch.elsewhere.push(request.url());
  });
  await page.exposeFunction('violated', (what: string) => tab.watch.failures.push(what));
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    violated(event.violatedDirective + ' ' + event.blockedURI))`);
  return tab;
}

/** Leaves nothing of what was done in it to the next test; where that cannot be, it is closed. */
export async function giveBackTab(tab: Tab): Promise<void> {
  const { page, watch } = tab;
  const isOurs = !page.isClosed() && new URL(page.url()).origin === watch.origin;
  if (isOurs && (await clear(tab).catch(() => false))) idle.push(tab);
  else await closeTab(tab);
}

async function clear(tab: Tab): Promise<boolean> {
  const { page } = tab;
  const { origin } = tab.watch;
  tab.watch = { origin, failures: [], elsewhere: [] };
  await page.unrouteAll();
  await page.context().clearCookies();
  // Of the same site, which keeps the process, and without a script that could write after us.
  await page.goto(`${origin}/healthz`);
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.mouse.move(-1, -1);
  return true;
}

export async function closeTab({ page }: Tab): Promise<void> {
  await page.context().close();
}
