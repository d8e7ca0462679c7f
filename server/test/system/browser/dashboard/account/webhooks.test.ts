import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../../../webhooks/receiver.ts';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardOptions,
  type DashboardPage,
  startDashboard,
} from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
let receiver: Receiver;
let opened: DashboardPage;
beforeAll(async () => {
  receiver = await startReceiver();
  dashboard = await startDashboard({ webhookAllow: ['127.0.0.0/8'] });
});
afterAll(() => Promise.all([dashboard?.close(), receiver.close()]));

const openPage = async (path = '', options: DashboardOptions = {}) => {
  opened = await dashboard.open(`/p/${dashboard.test.projectId}/webhooks${path}`, options);
  return opened.page;
};

afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

const post = async (path: string, body: object) =>
  (await dashboard.test.client.post(path, { projectId: dashboard.test.projectId, ...body })).body;
const createHook = (name: string, path: string) =>
  post('/webhooks', { name, url: `${receiver.url}${path}`, topics: ['api-key.created'] });
const createKey = (name: string) => post('/api-keys', { name });
const waitForDeliveries = (path: string, times = 1) =>
  receiver.until((all) => all.filter((one) => one.path === path).length >= times);

describe('webhooks', () => {
  it('are tested before they are created, and show their secret once', async () => {
    const page = await openPage();
    await page.keyboard.press('c');
    const test = page.getByRole('button', { name: 'Send test' });
    await page.getByLabel('Name', { exact: true }).fill('Billing');
    await page.getByLabel('Endpoint URL').fill(`${receiver.url}/error/first`);
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByLabel('Header 1 name').fill('x-tenant');
    await page.getByLabel('Header 1 value').fill('acme');
    await test.click();
    await page.getByText(/^500 in [\d,]+ ms$/).waitFor();
    await page.getByText('it broke').waitFor();
    await page.getByLabel('Endpoint URL').fill(`${receiver.url}/made`);
    await test.click();
    await page.getByText(/^200 in [\d,]+ ms$/).waitFor();
    expect(receiver.received.at(-1)?.headers).toMatchObject({ 'x-tenant': 'acme' });
    // Its events contain key values, so it is not selected by default.
    const created = page.getByRole('checkbox', { name: 'api-key.created' });
    expect(await created.isChecked()).toBe(false);
    await created.check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click();
    const secret = (await page.locator('[data-secret]').textContent())!;
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(secret);
    await createKey('For billing');
    await waitForDeliveries('/made', 2);
    expect(receiver.received.at(-1)?.headers).toMatchObject({ 'x-tenant': 'acme' });
    await page.getByRole('gridcell', { name: 'Billing' }).click();
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor();
    await page.getByRole('gridcell', { name: 'Delivered' }).waitFor();
  });

  it('offer events by group, events of the account only if the webhook is for the whole account, and the format CloudEvents', async () => {
    const page = await openPage();
    await page.keyboard.press('c');
    await page.getByLabel('Name', { exact: true }).fill('SIEM');
    await page.getByLabel('Endpoint URL').fill(`${receiver.url}/siem`);
    await page.getByRole('checkbox', { name: 'Limits and credits' }).check();
    const audit = page.getByRole('checkbox', { name: 'audit.appended' });
    expect(await audit.count()).toBe(0);
    await page.getByRole('radio', { name: /^Whole account/ }).check();
    await audit.check();
    await page.getByLabel('Format').selectOption('CloudEvents 1.0');
    await page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    const { body } = await dashboard.test.client.get('/webhooks?topic=audit.appended');
    expect(body).toMatchObject([{ name: 'SIEM', format: 'cloudevents', projectId: null }]);
    expect(body[0].topics).toEqual(
      expect.arrayContaining(['limit.threshold', 'credits.low', 'credits.exhausted']),
    );
  });

  it('keep the values of masked headers that are not edited', async () => {
    const hook = await post('/webhooks', {
      name: 'Gateway',
      url: `${receiver.url}/gateway`,
      topics: ['api-key.created'],
      customHeaders: { authorization: 'Bearer of-the-gateway', 'x-tenant': 'acme' },
    });
    const page = await openPage(`/${hook.id}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await expect.poll(() => page.getByLabel('Header 1 value').inputValue()).toBe('Bear*********');
    await page.getByLabel('Header 2 value').fill('other');
    await page.getByRole('dialog').getByRole('button', { name: 'Send test' }).click();
    await page.getByText(/^200 in [\d,]+ ms$/).waitFor();
    const sent = { authorization: 'Bearer of-the-gateway', 'x-tenant': 'other' };
    expect(receiver.received.at(-1)?.headers).toMatchObject(sent);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Webhook saved.').first().waitFor();
    await createKey('After the edit');
    await waitForDeliveries('/gateway', 2);
    expect(receiver.received.findLast(({ path }) => path === '/gateway')?.headers).toMatchObject(
      sent,
    );
    await dashboard.test.client.delete(`/webhooks/${hook.id}`);
  });

  it('can be taken over if their creator is unknown', async () => {
    const hook = await createHook('Older', '/older');
    await dashboard.test.storage.transaction((tx) =>
      tx.updateTable('webhooks').set({ set_by: null }).where('id', '=', hook.id).execute(),
    );
    const page = await openPage(`/${hook.id}`);
    await page.getByText('Key values are masked', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Take ownership' }).click();
    await page.getByText('Key values are masked', { exact: true }).waitFor({ state: 'detached' });
    const created = await createKey('After taking over');
    await waitForDeliveries('/older');
    expect(receiver.received.findLast(({ path }) => path === '/older')?.body).toContain(
      created.key,
    );
    await dashboard.test.client.delete(`/webhooks/${hook.id}`);
  });

  it('show requests and responses, and can send them again', async () => {
    const hook = await createHook('CRM', '/error/crm');
    await createKey('Ada');
    await waitForDeliveries('/error/crm');
    const page = await openPage(`/${hook.id}`);
    await page.getByRole('gridcell', { name: 'api-key.created' }).click();
    await page.getByText('Responded with 500').first().waitFor();
    await page.getByText('it broke').first().waitFor();
    await page.getByText('Next attempt').last().waitFor();
    const body = page.getByRole('figure').filter({ hasText: 'Body' }).last();
    await expect.poll(() => body.textContent()).toMatch(/"name": "Ada"/);
    await expect.poll(() => body.textContent()).toMatch(/"key": "live_\w{6}\*{9}"/);
    await page.getByRole('button', { name: 'Send now' }).click();
    await waitForDeliveries('/error/crm', 2);
    const ids = receiver.received.filter(({ path }) => path === '/error/crm');
    expect(new Set(ids.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('are paused, resumed, replayed, given a new secret, and deleted', async () => {
    const hook = await createHook('Slack', '/slack');
    await createKey('Seen');
    await waitForDeliveries('/slack');
    const page = await openPage(`/${hook.id}`);
    const act = async (item: string) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await act('Pause…');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText('This webhook is paused').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Resume' }).click();
    await page.getByText('This webhook is paused').waitFor({ state: 'detached' });
    await act('Replay events…');
    await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText(/event(s)? resent|queued/).waitFor();
    await waitForDeliveries('/slack', 2);
    await act('Rotate secret…');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText('Both secrets are valid for 24 hours').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await act('Delete…');
    await page.getByLabel('Type Slack to confirm').fill('Slack');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    expect((await dashboard.test.client.get(`/webhooks/${hook.id}`)).status).toBe(404);
  });

  it('show why they were disabled, and what to do', async () => {
    receiver.statuses.set('/gone', 410);
    const hook = await createHook('Retired', '/gone');
    await createKey('Last');
    await waitForDeliveries('/gone');
    await expect
      .poll(async () => (await dashboard.test.client.get(`/webhooks/${hook.id}`)).body.status)
      .toBe('disabled');
    receiver.statuses.set('/gone', 200);
    const page = await openPage(`/${hook.id}`);
    await page.getByText('Disabled by Keyward: the endpoint responded with 410').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Disabled by Keyward').waitFor({ state: 'detached' });
  });

  it('show no actions to viewers', async () => {
    const hook = await createHook('Looked at', '/looked-at');
    const page = await openPage(`/${hook.id}`, { role: 'viewer' });
    await page.getByRole('heading', { name: 'Deliveries', exact: true }).waitFor();
    for (const name of ['Edit', 'More actions', 'Send test'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
  });

  it('do not run scripts in names and responses', async () => {
    const attack = '<img src=x onerror="violated(1)"><script>violated(2)</script>';
    const hook = await createHook(attack, '/echo/attack');
    await createKey(attack);
    await waitForDeliveries('/echo/attack');
    const page = await openPage(`/${hook.id}`);
    await page.getByRole('heading', { name: attack, level: 1 }).waitFor();
    await page.getByRole('gridcell', { name: 'api-key.created' }).click();
    await page.getByText('Response body').waitFor();
    expect(await page.locator('img, main script, dialog script').count()).toBe(0);
  });

  it('pass axe in both themes', async () => {
    const hook = await createHook('Axe', '/error/axe');
    await createKey('axe');
    await waitForDeliveries('/error/axe');
    const page = await openPage('');
    await page.getByRole('gridcell', { name: 'Axe', exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('c');
    await page.waitForSelector('dialog[open]');
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('gridcell', { name: 'Axe', exact: true }).click();
    await page.getByRole('heading', { name: 'Deliveries', exact: true }).waitFor();
    await page.getByRole('gridcell', { name: 'api-key.created' }).click();
    await page.getByText('Responded with 500').first().waitFor();
    await expect.poll(() => page.url()).toContain(hook.id);
    expect(await axeViolations(page)).toEqual([]);
  });
});
