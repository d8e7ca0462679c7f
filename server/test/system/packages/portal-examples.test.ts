import { join } from 'node:path';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, openWatched } from '../../harness/browser.ts';
import { type RunningServer, startServer } from '../../harness/child.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import {
  addExamples,
  createPackedProject,
  exampleEnv,
  type PackedProject,
} from './packed-project.ts';

const EXAMPLES = [
  {
    name: 'portal-next',
    start: ['../../node_modules/next/dist/bin/next', 'dev', '-H', '127.0.0.1', '-p', '0'],
    port: /Local:\s+http:\/\/127\.0\.0\.1:(\d+).*Ready/s,
    portalOf: (page: Page) => page,
    /** The example opens a new session, in which the key is shown again. */
    afterEnd: 'Made in portal-next',
  },
  {
    name: 'portal-frame',
    start: ['server.ts'],
    port: /listening.*port: (\d+)/s,
    portalOf: (page: Page) => page.frameLocator('iframe'),
    afterEnd: 'Your session has ended',
  },
];

let app: TestApp;
let project: PackedProject;
let browser: Browser;

beforeAll(async () => {
  app = await startTestApp({ realClock: true, isLocal: true });
  project = await createPackedProject();
  await addExamples(project);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await app.close();
  await project?.remove();
});

describe.each(EXAMPLES)('examples/$name', ({ name, start, port, portalOf, afterEnd }) => {
  let server: RunningServer;

  beforeAll(async () => {
    const folder = join(project.folder, 'examples', name);
    server = await startServer(process.execPath, start, folder, exampleEnv(app), port);
    const portalOrigins = [server.url];
    await app.client.patch(`/projects/${app.projectId}`, { name: 'Production', portalOrigins });
  });
  afterAll(() => server?.stop());

  it('lets a customer create a key', async () => {
    const markup = '<img src=x onerror="window.executed=1">';
    await app.client.post('/api-keys', { name: markup, customAccountId: 'acme' });
    await app.client.post('/api-keys', { name: 'Of another customer', customAccountId: 'other' });
    const { page, failures } = await openWatched(browser, server.url);
    const portal: Page | FrameLocator = portalOf(page);
    await portal.getByRole('heading', { name: markup, exact: true }).first().waitFor();
    expect(await portal.getByText('Of another customer').count()).toBe(0);
    await portal.getByRole('button', { name: 'Create key' }).click();
    const dialog = portal.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill(`Made in ${name}`);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const value = (await portal.locator('[data-secret]').textContent())!;
    await dialog.getByRole('button', { name: 'Done' }).click();
    await portal.getByRole('heading', { name: `Made in ${name}` }).waitFor();
    const { status, body } = await app.client.post('/api-keys/auth', { key: value });
    expect([status, body.customAccountId]).toEqual([200, 'acme']);
    for (const frame of page.frames())
      expect(await frame.evaluate('window.executed')).toBeUndefined();
    expect(failures).toEqual([]);
    await page.close();
  });

  it('reacts to the end of the session', async () => {
    const { page } = await openWatched(browser, server.url);
    const portal: Page | FrameLocator = portalOf(page);
    await portal.getByRole('heading', { name: `Made in ${name}` }).waitFor();
    const { body } = await app.client.get('/portal-sessions');
    for (const { id } of body) await app.client.delete(`/portal-sessions/${id}`);
    const ended = page.waitForResponse((response) => response.status() === 401);
    for (const frame of page.frames())
      await frame.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await ended;
    await portal.getByRole('heading', { name: afterEnd }).waitFor();
    await page.close();
  });
});
