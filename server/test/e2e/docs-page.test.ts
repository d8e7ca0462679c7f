import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { launchBrowser, openWatched, type WatchedPage } from './browser.ts';

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

async function open(path: string): Promise<WatchedPage['page']> {
  watched = await openWatched(browser, test.url + path);
  return watched.page;
}

/** Nothing failed, and nothing was asked of anybody else. */
afterEach(async () => {
  expect(watched.failures).toEqual([]);
  const elsewhere = watched.requests.filter(
    ({ origin, protocol }) => origin !== test.url && protocol !== 'data:',
  );
  expect(elsewhere.map(String)).toEqual([]);
  expect(watched.requests.length).toBeGreaterThan(1);
  await watched.page.close();
});

describe('/docs', () => {
  afterEach(() => {
    expect(watched.complaints).toEqual([]);
  });

  it('shows every operation, and finds it from the side', async () => {
    const page = await open('/docs');
    await page.waitForSelector('article.operation');
    const shown = await page
      .locator('article.operation')
      .evaluateAll((articles) => articles.map(({ id }) => id));
    const served = test.app.routes.map(({ operationId }) => operationId);
    expect(shown.toSorted()).toEqual(served.toSorted());
    const linked = await page
      .locator('#menu-items li a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(linked.toSorted()).toEqual(served.map((id) => `#${id}`).toSorted());
    const addresses = await page.locator('article.operation .address').allTextContents();
    const described = test.app.routes.map(
      ({ method, path }) => method + path.replaceAll(/:(\w+)/g, '{$1}'),
    );
    expect(addresses.toSorted()).toEqual(described.toSorted());
  });

  it('filters as one types, and Enter goes there', async () => {
    const page = await open('/docs');
    await page.waitForSelector('#menu-items li');
    await page.keyboard.press('/');
    await page.keyboard.type('rotate api');
    const visible = page.locator('#menu-items li:visible a');
    await expect.poll(() => visible.count()).toBe(1);
    expect(await visible.getAttribute('href')).toBe('#rotateApiKey');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toBe('#rotateApiKey');
    await page.locator('#filter').fill('nothing is called this');
    await expect.poll(() => visible.count()).toBe(0);
  });

  it('links to an operation from outside', async () => {
    const page = await open('/docs#createApiKey');
    await page.waitForSelector('#createApiKey');
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('createApiKey');
  });

  it('tries it for real, with the access key that was typed in', async () => {
    const page = await open('/docs');
    await page.waitForSelector('#createApiKey');
    await page.locator('#access-key').fill(test.accessKey);
    const operation = page.locator('#createApiKey');
    await operation.locator('details.try-it > summary').click();
    await operation.locator('textarea').fill('{"name":"Made on the page"}');
    expect(await operation.locator('.shown').textContent()).not.toContain(test.accessKey);
    await operation.locator('button.send').click();
    await operation.locator('.result .fine').waitFor();
    expect(await operation.locator('.result .fine').textContent()).toContain('201 Created');
    const { body } = await test.client.get('/api-keys?name=Made%20on%20the%20page');
    expect(body).toHaveLength(1);
    expect(await operation.locator('.result').textContent()).toContain(body[0].id);
  });

  it('shows a refusal as it is, and asks for what is missing before it sends', async () => {
    const page = await open('/docs');
    await page.waitForSelector('#getInvitationInfo');
    const operation = page.locator('#getInvitationInfo');
    await operation.locator('details.try-it > summary').click();
    await operation.locator('button.send').click();
    expect(await operation.locator('.result').textContent()).toContain('Fill in id first.');
    const sent = watched.requests.length;
    await operation.locator('input').fill('inv_none');
    await operation.locator('button.send').click();
    await operation.locator('.result .problem strong').waitFor();
    expect(await operation.locator('.result').textContent()).toContain('invitation_not_found');
    expect(watched.requests.length).toBe(sent + 1);
    // The browser's own line about an answer of 4xx.
    expect(watched.complaints).toHaveLength(1);
    watched.complaints.length = 0;
  });
});

describe('a page that breaks the policy', () => {
  it('would be seen here', async () => {
    const page = await open('/docs');
    await page.waitForSelector('#createApiKey');
    await page.evaluate(
      "document.body.insertAdjacentHTML('beforeend', '<p style=\\'color:red\\'>')",
    );
    await expect.poll(() => watched.failures.join()).toContain('style-src');
    watched = await openWatched(browser, `${test.url}/docs`);
  });
});

describe('/dashboard/', () => {
  it('loads, and keeps to its policy', async () => {
    const page = await open('/dashboard/');
    await page.waitForSelector('#root > *');
    expect(await page.title()).toContain('Keyward');
  });

  it('is where a browser that opens / is sent', async () => {
    const page = await open('/');
    await page.waitForSelector('#root > *');
    // Nobody is signed in.
    await expect.poll(() => new URL(page.url()).pathname).toBe('/dashboard/login');
  });
});
