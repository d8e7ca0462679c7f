import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createKey,
  type PortalBrowser,
  refresh,
  section,
  startPortal,
  takeValue,
} from '../portal/portal-browser.ts';

/** What a customer does in the portal, on both engines. */
let portal: PortalBrowser;

beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal?.close());

const validate = async (key: string) =>
  (await portal.test.client.post('/api-keys/auth', { key })).status;

const CANARY = 'canary-of-another-customer';

it('a customer creates a key, uses it, sees its usage, rotates and revokes it', async () => {
  const { test } = portal;
  const foreign = await test.client.post('/api-keys', {
    name: CANARY,
    customAccountId: CANARY,
    customMetaData: { note: CANARY },
  });
  await test.client.post('/api-keys/auth', { key: foreign.body.key });
  await test.client.post('/customers', { customAccountId: CANARY, name: CANARY });
  const { page, session, traffic, failures, foreignRequests } = await portal.open();
  const keys = section(page, 'API keys');
  const item = (name: string) => keys.getByRole('listitem').filter({ hasText: name });

  await keys.getByText('No API keys yet').waitFor();
  const first = await createKey(page, 'Billing');
  await item('Billing').getByText('Active').waitFor();
  expect(await validate(first)).toBe(200);
  expect(await validate(first)).toBe(200);
  expect(await validate(first)).toBe(200);

  const usage = section(page, 'Usage');
  await expect
    .poll(async () => {
      await refresh(page);
      return [await usage.textContent(), await item('Billing').textContent()].join();
    })
    .toMatch(/3Accepted.*Last usedthis minute/s);

  await keys.getByRole('button', { name: 'Rename Billing' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Invoices');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await item('Invoices').waitFor();

  await keys.getByRole('button', { name: 'Rotate Invoices' }).click();
  await page.getByLabel('Old key stops working').selectOption('In 1 hour');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  const second = await takeValue(page);
  await item('Replaced by a new key').waitFor();
  expect([await validate(first), await validate(second)]).toEqual([200, 200]);

  const current = item('Invoices').filter({ hasNotText: 'Replaced by a new key' });
  await current.getByRole('button', { name: 'Revoke Invoices' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
  await keys.getByText('Inactive keys (1)').waitFor();
  expect([await validate(first), await validate(second)]).toEqual([200, 404]);

  // Nothing of the other customer, and the token only where it belongs.
  expect(traffic.responses.length).toBeGreaterThan(10);
  expect(
    traffic.responses.filter((text) => text.includes('/portal/api-keys')).length,
  ).toBeGreaterThan(3);
  for (const text of traffic.responses) {
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(foreign.body.id);
    expect(text).not.toContain(session.token);
  }
  for (const text of traffic.requests) {
    const [, url = ''] = text.split(' ');
    expect(url.split('#')[0]).not.toContain(session.token);
    expect(text).not.toContain('"referer"');
    expect(text).not.toContain('"cookie"');
  }
  expect(test.log.join()).not.toContain(session.token);
  expect(page.url()).toBe(`${test.url}/portal/${test.projectId}/`);
  const kept = await page.evaluate(`Promise.all([indexedDB.databases(), caches.keys()]).then(
    (stores) => JSON.stringify([
      stores, history.state, document.cookie, { ...localStorage }, { ...sessionStorage }
    ]))`);
  expect(kept).toContain('[[],[]]');
  for (const secret of [session.token, first, second]) expect(kept).not.toContain(secret);
  expect(await page.content()).not.toContain(second);
  expect([failures, foreignRequests]).toEqual([[], []]);
});
