import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { LoginProviders } from '../../src/features/people/index.ts';
import type { Role } from '../../src/kernel/authority.ts';
import { launchBrowser } from '../e2e/browser.ts';
import { seatPerson } from '../harness/seat-person.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

export interface DashboardPage {
  readonly page: Page;
  /** Uncaught exceptions, and violations of the content security policy. */
  readonly failures: string[];
  /** Requests to anybody but the server. */
  readonly elsewhere: string[];
}

export interface DashboardOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  /** Of whoever is signed in; null: nobody is. An owner without it. */
  readonly role?: Role | null;
  /** Of somebody who has signed in already, instead of a new person. */
  readonly cookies?: ReadonlyMap<string, string>;
}

/** The real server and a real browser that opens pages of the dashboard on it. */
export interface DashboardBrowser {
  readonly test: TestApp;
  open(path: string, options?: DashboardOptions): Promise<DashboardPage>;
  close(): Promise<void>;
}

export async function startDashboard(
  /** Given, deliveries are sent: to public addresses and to these. */
  options: {
    readonly webhookAllow?: readonly string[];
    /** Given, mail goes out there. */
    readonly smtp?: { readonly url: string; readonly from: string };
    readonly loginProviders?: LoginProviders;
    /** Reached as `localhost`: passkeys and other issuers need the address that people use. */
    readonly isLocal?: boolean;
  } = {},
): Promise<DashboardBrowser> {
  const test = await startTestApp({ realClock: true, ...options });
  const browser = await launchBrowser();
  const origin = options.isLocal ? test.url.replace('127.0.0.1', 'localhost') : test.url;
  const contexts: BrowserContext[] = [];
  return {
    test,
    async open(path, options = {}) {
      const context = await newContext(browser, test, origin, options);
      contexts.push(context);
      const opened = await watched(context, origin);
      await opened.page.goto(`${origin}/dashboard${path}`);
      await opened.page.waitForSelector('h1');
      return opened;
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await browser.close();
      await test.close();
    },
  };
}

async function newContext(
  browser: Browser,
  test: TestApp,
  origin: string,
  options: DashboardOptions,
) {
  const { scheme = 'light', width = 1280, role = 'owner' } = options;
  const context = await browser.newContext({
    colorScheme: scheme,
    // Colours on their way from one to another have the contrast of neither.
    reducedMotion: 'reduce',
    viewport: { width, height: 900 },
  });
  if (role === null) return context;
  const seats = [{ accountId: test.accountId, role }];
  const cookies = options.cookies ?? (await seatPerson(test, seats, Date.now())).cookies;
  const { hostname } = new URL(origin);
  const attributes = { domain: hostname, path: '/', secure: true, httpOnly: true };
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, ...attributes })));
  return context;
}

async function watched(context: BrowserContext, ownOrigin: string): Promise<DashboardPage> {
  const page = await context.newPage();
  const failures: string[] = [];
  const elsewhere: string[] = [];
  page.on('pageerror', (error) => failures.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== ownOrigin && protocol !== 'data:') elsewhere.push(request.url());
  });
  await page.exposeFunction('violated', (what: string) => failures.push(what));
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    violated(event.violatedDirective + ' ' + event.blockedURI))`);
  return { page, failures, elsewhere };
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** What axe finds wrong with the page as it stands: one line each. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(`axe
    .run(document, {
      // An open menu lies outside the landmarks, above all of them.
      rules: { region: { enabled: !document.querySelector('[role=menu]') } },
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`);
}
