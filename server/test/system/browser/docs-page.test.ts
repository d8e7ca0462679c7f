import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { codeSamples } from '../../../src/http/openapi/samples/index.ts';
import { inPageOrder } from '../../docs/reference/page-order.ts';
import { launchBrowser, openWatched, type WatchedPage } from '../../harness/browser.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { runAxe } from './dashboard/dashboard-browser.ts';

let test: TestApp;
let browser: Browser;
let watched: WatchedPage;
beforeAll(async () => {
  test = await startTestApp();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await test.close();
});

async function open(path: string): Promise<Page> {
  watched = await openWatched(browser, test.url + path);
  return watched.page;
}

/** No uncaught exception, no violation of the policy, and no request to another server. */
function expectNoFailures(): void {
  expect(watched.failures).toEqual([]);
  const elsewhere = watched.requests.filter(
    ({ origin, protocol }) => origin !== test.url && protocol !== 'data:',
  );
  expect(elsewhere.map(String)).toEqual([]);
  expect(watched.requests.length).toBeGreaterThan(1);
}

/** Defects of Scalar 1.72 in its own controls. Everything else that axe checks must pass. */
const SCALAR_DEFECTS = [
  // Controls without a name: the name of the header, and the buttons that unfold a schema.
  'aria-input-field-name',
  'button-name',
  // A combobox without `aria-expanded` and `aria-controls`.
  'aria-required-attr',
];

/** The page is large: it is loaded once, and the tests use it one after the other. */
describe('/docs/api/', () => {
  let page: Page;
  const operation = () => page.locator('[id="api-1/tag/projects/POST/projects"]');
  const client = () => page.getByRole('dialog', { name: 'API Client' });
  beforeAll(async () => {
    page = await open('/docs/api/#tag/projects/POST/projects');
    await operation().waitFor();
  });
  afterEach(() => {
    expectNoFailures();
    expect(watched.problems).toEqual([]);
  });
  afterAll(() => page?.close());

  it('opens at the operation in the URL', async () => {
    await expect
      .poll(() => operation().evaluate((section) => section.getBoundingClientRect().top))
      .toBeLessThan(page.viewportSize()!.height);
  });

  it('starts with the introduction, whose links work', async () => {
    const introduction = page.locator('[id="api-1/description/introduction"]');
    const headings = await introduction.locator('.markdown h2').allTextContents();
    expect(headings.map((heading) => heading.trim())).toEqual([
      'Samples',
      'Authentication',
      'Rate limits',
      'Pagination',
      'Idempotency',
      'Concurrent updates',
      'Errors',
    ]);
    const links = await introduction
      .locator('a[href^="/"]')
      .evaluateAll((found) => found.map((link) => link.getAttribute('href')!));
    expect(links).toContain('/docs/errors');
    for (const link of links) expect((await fetch(test.url + link)).status).toBe(200);
  });

  it('passes axe', async () => {
    const violations = await runAxe(page);
    const isScalars = (violation: string) =>
      SCALAR_DEFECTS.some((rule) => violation.startsWith(`${rule} `));
    expect(violations.filter((violation) => !isScalars(violation))).toEqual([]);
  });

  it('follows the color scheme of the browser, with enough contrast in both', async () => {
    await page.locator('body.light-mode').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('body.dark-mode').waitFor();
    expect(await runAxe(page, ['color-contrast'])).toEqual([]);
  });

  it('shows every operation in its group, once', async () => {
    const sidebar = page.locator('aside').first();
    for (;;) {
      const closed = sidebar.locator('[aria-expanded="false"]').first();
      if ((await closed.count()) === 0) break;
      await closed.click();
    }
    const links = await sidebar
      .locator('a[href^="#tag/"]')
      .evaluateAll((found) => found.map((link) => decodeURIComponent(link.getAttribute('href')!)));
    const shown = links.flatMap((link) => /^#tag\/[^/]+\/([A-Z]+\/.*)$/.exec(link)?.[1] ?? []);
    const served = inPageOrder(test.app.routes).map(
      ({ method, path }) => method + path.replaceAll(/:(\w+)/g, '{$1}'),
    );
    expect(shown).toEqual(served);
  });

  it('shows the samples of the API description, first that for a shell, and no others', async () => {
    const create = test.app.routes.find(({ operationId }) => operationId === 'createProject')!;
    const samples = codeSamples(create);
    const text = async () => (await operation().innerText()).replaceAll(/\s+/g, ' ');
    const opened = (n: number) => String(samples[n]!.source).replaceAll(/\s+/g, ' ').slice(0, 60);
    await expect.poll(text).toContain(opened(0));
    await operation().getByRole('button', { name: 'curl' }).click();
    const options = page.getByRole('option');
    expect(await options.allInnerTexts()).toEqual(samples.map(({ label }) => label));
    await options.getByText('Python').click();
    await expect.poll(text).toContain(opened(2));
  });

  it('finds operations by name and by path', async () => {
    for (const [query, id] of [
      ['rotate', 'rotateApiKey'],
      ['/webhooks/{id}/replay', 'startWebhookReplay'],
    ] as const) {
      const { summary } = test.app.routes.find(({ operationId }) => operationId === id)!;
      await page.keyboard.press('Control+k');
      const search = page.getByRole('dialog', { name: 'Search' });
      await search.getByRole('combobox').fill(query);
      await search.getByRole('option').filter({ hasText: summary }).first().waitFor();
      await page.keyboard.press('Escape');
      await search.waitFor({ state: 'detached' });
    }
  });

  it('sends a request with the access key, and shows errors and results', async () => {
    await page.getByLabel('Value').first().fill(test.accessKey);
    await operation().getByRole('button', { name: 'Test Request' }).click();
    const send = async (body: string) => {
      await client().locator('.cm-content').first().fill(body);
      const [response] = await Promise.all([
        page.waitForResponse(`${test.url}/projects`),
        client().getByRole('button', { name: 'Send post request' }).click(),
      ]);
      return response.json();
    };
    const error = await send('{"name":""}');
    await client().getByText('400 Bad Request').waitFor();
    for (const value of ['invalid_body', error.docs, error.requestId])
      await client().getByText(value).first().waitFor();
    // The browser logs every 4xx response.
    expect(watched.problems.splice(0)).toHaveLength(1);

    const created = await send('{"name":"Made on the page"}');
    await client().getByText('201 Created').waitFor();
    await client().getByText(created.id).first().waitFor();
    const { body } = await test.client.get(`/projects/${created.id}`);
    expect(body.name).toBe('Made on the page');
  });

  it('stores nothing about the access key', async () => {
    const stored: string = await page.evaluate(
      `indexedDB.databases().then((databases) => JSON.stringify(
        [{ ...localStorage }, { ...sessionStorage }, document.cookie, databases]))`,
    );
    expect(stored).not.toContain(test.accessKey);
    expect(stored).toMatch(/,\[\]\]$/);
  });

  it('would detect a violation of its policy', async () => {
    await page.evaluate(`document.head.append(
      Object.assign(document.createElement('script'), { textContent: 'globalThis.ran = 1' }))`);
    await page.evaluate(`document.body.append(
      Object.assign(new Image(), { src: 'https://example.com/pixel' }))`);
    await expect.poll(() => watched.failures.join()).toContain('img-src https://example.com');
    expect(watched.failures.join()).toContain('script-src-elem inline');
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(watched.requests.join()).toContain('https://example.com/pixel');
    watched = { ...watched, failures: [], problems: [], requests: watched.requests.slice(0, 2) };
  });
});

describe('the documentation', () => {
  afterEach(async () => {
    expectNoFailures();
    await watched.page.close();
  });

  it.each(['light', 'dark'] as const)('passes axe in %s mode', async (colorScheme) => {
    const page = await open('/docs/errors/rate_limited');
    await page.emulateMedia({ colorScheme });
    await page.reload();
    const isDark = await page.locator('html').evaluate((html) => html.classList.contains('dark'));
    expect(isDark).toBe(colorScheme === 'dark');
    expect(await runAxe(page)).toEqual([]);
  });

  it('leads from a page to another, and to the API reference', async () => {
    const page = await open('/docs/');
    await page.getByRole('main').getByRole('link', { name: 'Protect your API in five' }).click();
    await page.waitForURL('**/docs/tutorial');
    await page.getByRole('heading', { level: 1, name: 'Protect your API' }).waitFor();
    await page.getByRole('link', { name: 'API reference' }).first().click();
    await page.waitForURL('**/docs/api/');
  });

  const LAST =
    /\/(?:decisions\/|ARCHITECTURE|CHANGELOG|CONTRIBUTING|benchmarks|dependencies|scale)/;
  /** The paths of the results, in their order. */
  async function searchFor(text: string): Promise<string[]> {
    const page = await open('/docs/');
    const search = page.getByRole('searchbox');
    // The shortcut works as soon as the scripts of the page run.
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+k');
        return search.count();
      })
      .toBe(1);
    await search.fill(text);
    const results = page.getByRole('option').getByRole('link');
    await results.first().waitFor();
    return results.evaluateAll((links) => links.map((link) => link.getAttribute('href')!));
  }

  it('finds words without another server', async () => {
    expect((await searchFor('rate_limited')).join()).toContain('/errors/rate_limited');
  });

  it('shows decisions after everything else', async () => {
    const found = await searchFor('Sentinel');
    const isLast = found.map((path) => LAST.test(path));
    expect(isLast[0]).toBe(false);
    expect(isLast).toContain(true);
    expect(isLast.slice(isLast.indexOf(true))).not.toContain(false);
  });
});

describe('/dashboard/', () => {
  afterEach(() => {
    expectNoFailures();
    return watched.page.close();
  });

  it('loads, and complies with its policy', async () => {
    const page = await open('/dashboard/');
    await page.waitForSelector('#root > *');
    expect(await page.title()).toContain('Keyward');
  });

  it('opens when a browser requests /', async () => {
    const page = await open('/');
    await page.waitForSelector('#root > *');
    // No user is signed in.
    await expect.poll(() => new URL(page.url()).pathname).toBe('/dashboard/login');
  });
});
