import type { Browser, Page } from 'playwright-core';
import { launchBrowser, PAGE_TIMEOUT_MS } from '../../../harness/browser.ts';

/** Violations found while a page is open. */
export interface PageRecord {
  /** Requests to any other origin are recorded in `foreignRequests`. */
  readonly origin: string;
  readonly failures: string[];
  readonly foreignRequests: string[];
}

/** Factor for the timeouts of the pages. */
export const TIMEOUT_FACTOR = 20;

/** A page that several tests use in turn: creating one costs more than navigating. */
export interface Tab {
  readonly page: Page;
  watch: PageRecord;
}

/** Shared by all test files of this process; it ends with the process. */
let browser: Promise<Browser> | undefined;
const idle: Tab[] = [];

export async function takeTab(watch: PageRecord): Promise<Tab> {
  const tab = idle.pop();
  if (tab === undefined) return newTab(watch);
  tab.watch = watch;
  return tab;
}

async function newTab(watch: PageRecord): Promise<Tab> {
  browser ??= launchBrowser();
  // Without transitions: axe would measure the contrast of a color in between.
  const context = await (await browser).newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const tab = { page, watch };
  page.on('pageerror', (error) => tab.watch.failures.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== tab.watch.origin && protocol !== 'data:')
      tab.watch.foreignRequests.push(request.url());
  });
  await page.exposeFunction('violated', (what: string) => tab.watch.failures.push(what));
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    violated(event.violatedDirective + ' ' + event.blockedURI))`);
  // Longer timeouts for a busy machine. Otherwise requests would time out, and the page would show an error.
  // A message with "Undo", which stays for 6 s or 12 s, would disappear before the test has read it.
  await page.addInitScript(`const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => timeout(ms * ${TIMEOUT_FACTOR});
    const later = window.setTimeout.bind(window);
    window.setTimeout = (work, ms, ...rest) =>
      later(work, ms === 6_000 || ms === 12_000 ? ms * ${TIMEOUT_FACTOR} : ms, ...rest)`);
  return tab;
}

/** Removes the state of the last test, or closes the tab if that fails. */
export async function returnTab(tab: Tab): Promise<void> {
  const { page, watch } = tab;
  const isOurs = !page.isClosed() && new URL(page.url()).origin === watch.origin;
  if (isOurs && (await clear(tab).catch(() => false))) idle.push(tab);
  else await closeTab(tab);
}

async function clear(tab: Tab): Promise<boolean> {
  const { page } = tab;
  const { origin } = tab.watch;
  tab.watch = { origin, failures: [], foreignRequests: [] };
  // A handler may still wait for its response; what it does then no longer matters.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().clearCookies();
  // Stays on the same site, so that the browser keeps its process. This page has no script that could write
  // to storage after it is cleared.
  await page.goto(`${origin}/healthz`);
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.mouse.move(-1, -1);
  return true;
}

export async function closeTab({ page }: Tab): Promise<void> {
  await page.context().close();
}
