import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { LoginProviders } from '../../../../src/features/people/index.ts';
import type { Role } from '../../../../src/kernel/authority.ts';
import { assertBuilt } from '../../../harness/built.ts';
import { createMember } from '../../../harness/member.ts';
import { startTestApp, type TestApp } from '../../../harness/test-app.ts';
import { closeTab, returnTab, type Tab, takeTab } from './tabs.ts';

export interface DashboardPage {
  readonly page: Page;
  /** Uncaught exceptions, and violations of the content security policy. */
  readonly failures: string[];
  /** Requests to other origins. */
  readonly foreignRequests: string[];
}

export interface DashboardOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  /** Role of the signed-in user, an owner by default; null if not signed in. */
  readonly role?: Role | null;
  /** Session of an existing user, instead of a new one. */
  readonly cookies?: ReadonlyMap<string, string>;
  /** Stays open across tests. By default, it is closed after the test that opened it. */
  readonly isKept?: boolean;
}

/** A real server and a real browser that opens its dashboard. */
export interface DashboardBrowser {
  readonly test: TestApp;
  open(path: string, options?: DashboardOptions): Promise<DashboardPage>;
  close(): Promise<void>;
}

export async function startDashboard(
  /** If set, deliveries are sent, to public addresses and to these. */
  options: {
    readonly webhookAllow?: readonly string[];
    /** If set, mail is sent to this server. */
    readonly smtp?: { readonly url: string; readonly from: string };
    readonly loginProviders?: LoginProviders;
    /** Uses `localhost`, because passkeys and identity providers need a host name. */
    readonly isLocal?: boolean;
  } = {},
): Promise<DashboardBrowser> {
  assertBuilt('dashboard', 'index.html');
  const test = await startTestApp({ realClock: true, ...options });
  const origin = options.isLocal ? test.url.replace('127.0.0.1', 'localhost') : test.url;
  const kept: Tab[] = [];
  return {
    test,
    async open(path, options = {}) {
      const watch = { origin, failures: [], foreignRequests: [] };
      const tab = await takeTab(watch);
      if (options.isKept) kept.push(tab);
      else onTestFinished(() => returnTab(tab));
      await prepare(tab, test, options);
      await tab.page.goto(`${origin}/dashboard${path}`);
      await tab.page.waitForSelector('h1');
      return { page: tab.page, failures: watch.failures, foreignRequests: watch.foreignRequests };
    },
    async close() {
      await Promise.all(kept.map(closeTab));
      await test.close();
    },
  };
}

/** Sets the size and theme of the page, and signs a user in. */
async function prepare({ page, watch }: Tab, test: TestApp, options: DashboardOptions) {
  const { scheme = 'light', width = 1280, role = 'owner' } = options;
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height: 900 });
  if (role === null) return;
  const memberships = [{ accountId: test.accountId, role }];
  const cookies = options.cookies ?? (await createMember(test, memberships, Date.now())).cookies;
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

/** Accessibility violations on a page, one line each; contrast is checked in both themes. */
export async function axeViolations(page: Page): Promise<string[]> {
  const found = await runAxe(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const inDark = await runAxe(page, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...found, ...inDark.map((line) => `in the dark theme: ${line}`)];
}

/**
 * Accessibility violations on a page as it is, one line each; `runOnly` names tags or rules. Of a page
 * with an open dialog, only the dialog is checked: the rest is inert, and would take most of the time.
 */
export async function runAxe(page: Page, runOnly = AXE_TAGS): Promise<string[]> {
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(axeSource);
  return page.evaluate(`axe
    .run([...document.querySelectorAll('dialog[open]')].at(-1) ?? document, {
      runOnly: ${JSON.stringify(runOnly)},
      // Otherwise axe also describes every element that passes.
      resultTypes: ['violations'],
      elementRef: true,
      // Otherwise axe loads and parses the style sheets again, for one rule about locked orientation.
      preload: false,
    })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes
      // Menus and tooltips are added at the end of the document, outside the landmarks.
      .filter(({ element }) => id !== 'region' || !element.closest('[data-radix-popper-content-wrapper]'))
      .map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`);
}
