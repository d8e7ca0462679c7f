import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { LoginProviders } from '../../src/features/people/index.ts';
import type { Role } from '../../src/kernel/authority.ts';
import { seatPerson } from '../harness/seat-person.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { closeTab, giveBackTab, type Tab, takeTab } from './tabs.ts';

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
  /** Stays open from test to test; else it is gone with the test that opened it. */
  readonly isKept?: boolean;
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
  const origin = options.isLocal ? test.url.replace('127.0.0.1', 'localhost') : test.url;
  const kept: Tab[] = [];
  return {
    test,
    async open(path, options = {}) {
      const watch = { origin, failures: [], elsewhere: [] };
      const tab = await takeTab(watch);
      if (options.isKept) kept.push(tab);
      else onTestFinished(() => giveBackTab(tab));
      await dress(tab, test, options);
      await tab.page.goto(`${origin}/dashboard${path}`);
      await tab.page.waitForSelector('h1');
      return { page: tab.page, failures: watch.failures, elsewhere: watch.elsewhere };
    },
    async close() {
      await Promise.all(kept.map(closeTab));
      await test.close();
    },
  };
}

/** As it is asked for: its size, its theme, and who is signed in. */
async function dress({ page, watch }: Tab, test: TestApp, options: DashboardOptions) {
  const { scheme = 'light', width = 1280, role = 'owner' } = options;
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height: 900 });
  if (role === null) return;
  const seats = [{ accountId: test.accountId, role }];
  const cookies = options.cookies ?? (await seatPerson(test, seats, Date.now())).cookies;
  const { hostname } = new URL(watch.origin);
  const attributes = { domain: hostname, path: '/', secure: true, httpOnly: true };
  await page
    .context()
    .addCookies([...cookies].map(([name, value]) => ({ name, value, ...attributes })));
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The accessibility defects that axe finds on the page, one line each; `runOnly` names tags or rules. */
export async function axeViolations(page: Page, runOnly = AXE_TAGS): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(`axe
    .run(document, {
      // An open menu lies outside the landmarks, above all of them.
      rules: { region: { enabled: !document.querySelector('[role=menu]') } },
      runOnly: ${JSON.stringify(runOnly)},
    })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`);
}
