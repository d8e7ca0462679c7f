import { type Browser, chromium, type Page } from 'playwright-core';

/** Long enough for a slow machine, and ends a test whose page hangs. */
export const PAGE_TIMEOUT_MS = 240_000;

/** A real browser that connects only to the pages under test. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    timeout: PAGE_TIMEOUT_MS,
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings on the console; the browser also logs every 4xx response there. */
  readonly problems: string[];
  /** Uncaught exceptions, and violations of the content security policy. */
  readonly failures: readonly string[];
  /** URLs of all requests. */
  readonly requests: readonly URL[];
}

export async function openWatched(browser: Browser, url: string): Promise<WatchedPage> {
  const page = await browser.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const problems: string[] = [];
  const failures: string[] = [];
  const requests: URL[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => failures.push(String(error)));
  page.on('request', (request) => requests.push(new URL(request.url())));
  await page.exposeFunction('violated', (what: string) => failures.push(what));
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    violated(event.violatedDirective + ' ' + event.blockedURI))`);
  await page.goto(url);
  return { page, problems, failures, requests };
}
