import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { PAGE_TIMEOUT_MS } from '../../../harness/browser.ts';
import { startTestApp, type TestApp } from '../../../harness/test-app.ts';
import { closeTab, takeTab } from '../dashboard/tabs.ts';

/** Everything that the page of a customer sent and received. */
export interface Traffic {
  /** Method, URL, headers and body of each request. */
  readonly requests: string[];
  /** URL, headers and body of each response. */
  readonly responses: string[];
}

export interface PortalTab {
  readonly page: Page;
  readonly session: PortalSession;
  readonly traffic: Traffic;
  /** Uncaught exceptions, and violations of the content security policy. */
  readonly failures: readonly string[];
  /** Requests to other origins. */
  readonly foreignRequests: readonly string[];
}

export interface PortalSession {
  readonly id: string;
  readonly url: string;
  readonly token: string;
}

export interface PortalOptions {
  readonly width?: number;
  readonly languages?: readonly string[];
  /** Fields of the session. */
  readonly session?: object;
}

/** A real server with a portal, and a real browser that opens links to it. */
export interface PortalBrowser {
  readonly test: TestApp;
  createSession(fields?: object): Promise<PortalSession>;
  open(options?: PortalOptions): Promise<PortalTab>;
  close(): Promise<void>;
}

export const CUSTOMER = 'northwind';
export const RETURN_URL = 'https://app.example.com/settings';

export async function startPortal(): Promise<PortalBrowser> {
  if (!existsSync(new URL('../../../../../dashboard/dist/portal/index.html', import.meta.url)))
    throw new Error('The portal page is not built. Run: npm run build -w dashboard');
  const test = await startTestApp({ realClock: true, isLocal: true });
  await test.client.patch(`/projects/${test.projectId}`, {
    name: 'Production',
    branding: { name: 'Acme Cloud', accentColor: '#e0457b' },
    portalOrigins: [new URL(RETURN_URL).origin],
  });
  const createSession = async (fields: object = {}): Promise<PortalSession> => {
    const { body, status } = await test.client.post('/portal-sessions', {
      customAccountId: CUSTOMER,
      projectId: test.projectId,
      returnUrl: RETURN_URL,
      ...fields,
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body;
  };
  return {
    test,
    createSession,
    async open({ width = 1280, languages = ['en'], ...options } = {}) {
      const session = await createSession(options.session);
      const watch = { origin: test.url, failures: [], foreignRequests: [] };
      const tab = await takeTab(watch);
      // Not reused: the history of the tab would contain the link.
      onTestFinished(() => closeTab(tab));
      const { page } = tab;
      page.setDefaultTimeout(PAGE_TIMEOUT_MS);
      const traffic = watchTraffic(page);
      await page.addInitScript(
        `Object.defineProperty(navigator, 'languages', { value: ${JSON.stringify(languages)} })`,
      );
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width, height: 900 });
      await page.goto(session.url);
      await page.waitForSelector('h1');
      return {
        page,
        session,
        traffic,
        failures: watch.failures,
        foreignRequests: watch.foreignRequests,
      };
    },
    close: () => test.close(),
  };
}

function watchTraffic(page: Page): Traffic {
  const traffic: Traffic = { requests: [], responses: [] };
  page.on('request', async (request) => {
    const line = `${request.method()} ${request.url()} ${request.postData() ?? ''}`;
    const headers = await request.allHeaders().catch(() => ({}));
    traffic.requests.push(`${line} ${JSON.stringify(headers)}`);
  });
  page.on('response', async (response) => {
    const body = await response.text().catch(() => '');
    traffic.responses.push(`${response.url()} ${JSON.stringify(response.headers())} ${body}`);
  });
  return traffic;
}

/** The page reloads its data when it becomes visible. */
export const refresh = (page: Page): Promise<unknown> =>
  page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");

export const section = (page: Page, name: string) => page.getByRole('region', { name });

/** Creates a key in the page, and returns the value that is shown once. */
export async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  return takeValue(page);
}

export async function takeValue(page: Page): Promise<string> {
  const value = (await page.locator('[data-secret]').textContent())!;
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return value;
}
