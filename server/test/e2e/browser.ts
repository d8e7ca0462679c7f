import { type Browser, chromium, type Page } from 'playwright-core';

/** A hung page must end the test; a slow machine must not. */
export const PAGE_TIMEOUT_MS = 240_000;

/** A real browser that speaks to nobody but the pages it is given. */
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
  /** Errors and warnings on the console; the browser tells of every answer of 4xx there. */
  readonly complaints: string[];
  /** Uncaught exceptions, and violations of the content security policy. */
  readonly failures: readonly string[];
  /** Where requests went. */
  readonly requests: readonly URL[];
}

export async function openWatched(browser: Browser, url: string): Promise<WatchedPage> {
  const page = await browser.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const complaints: string[] = [];
  const failures: string[] = [];
  const requests: URL[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => failures.push(String(error)));
  page.on('request', (request) => requests.push(new URL(request.url())));
  await page.exposeFunction('violated', (what: string) => failures.push(what));
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    violated(event.violatedDirective + ' ' + event.blockedURI))`);
  await page.goto(url);
  return { page, complaints, failures, requests };
}
