import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser, PAGE_TIMEOUT_MS } from '../../../harness/browser.ts';
import { type PortalBrowser, startPortal } from './portal-browser.ts';

/** Websites of two other origins, of which the project lists the first. */
let portal: PortalBrowser;
let browser: Browser;
const sites: Server[] = [];
let listed: string;
let unlisted: string;

beforeAll(async () => {
  portal = await startPortal();
  browser = await launchBrowser();
  [listed, unlisted] = [await startSite(), await startSite()];
  const { client, projectId } = portal.test;
  const patched = await client.patch(`/projects/${projectId}`, { portalOrigins: [listed] });
  expect(patched.status).toBe(200);
});
afterAll(async () => {
  await browser?.close();
  for (const site of sites) site.close();
  await portal?.close();
});

async function startSite(): Promise<string> {
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Site</title>');
  });
  sites.push(site);
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
}

async function openSite(origin: string) {
  const page = await browser.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  await page.goto(origin);
  return page;
}

const createSession = () => portal.createSession({ returnUrl: null });

const addFrame = (url: string) => `{
  const frame = document.createElement('iframe');
  frame.src = ${JSON.stringify(url)};
  document.body.append(frame);
}`;

it('the portal is shown in a frame of a listed site, without its own header', async () => {
  const page = await openSite(listed);
  await page.evaluate(addFrame((await createSession()).url));
  const frame = page.frameLocator('iframe');
  await frame.getByText('No API keys yet').waitFor();
  expect(await frame.getByText('Acme Cloud').count()).toBe(0);
});

it('the portal is refused in a frame of any other site', async () => {
  const page = await openSite(unlisted);
  const refused = page.waitForEvent('console', {
    predicate: (message) => message.text().includes('frame-ancestors'),
  });
  await page.evaluate(addFrame((await createSession()).url));
  await refused;
  await expect.poll(() => page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/');
});

it('the portal accepts the token from pages of a listed site only', async () => {
  const { token } = await createSession();
  const call = `fetch(${JSON.stringify(`${portal.test.url}/portal/api-keys`)}, {
    method: 'POST',
    headers: { authorization: 'Bearer ${token}', 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'From another site' }),
  }).then(async (response) => [response.status, (await response.json()).code ?? null])`;
  const foreign = await openSite(unlisted);
  expect(await foreign.evaluate(call)).toEqual([403, 'origin_denied']);
  const own = await openSite(listed);
  expect(await own.evaluate(call)).toEqual([201, null]);
});
