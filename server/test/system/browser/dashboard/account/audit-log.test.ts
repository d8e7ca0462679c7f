import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestPerson } from '../../../../harness/test-person.ts';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardOptions,
  type DashboardPage,
  startDashboard,
} from '../dashboard-browser.ts';

const ATTACK = '<img src=x onerror="violated(1)">';

let dashboard: DashboardBrowser;
let opened: DashboardPage;
let keyId: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  const { client, projectId } = dashboard.test;
  const key = (await client.post('/api-keys', { name: 'Acme', projectId })).body;
  keyId = key.id;
  await client.patch(`/api-keys/${keyId}`, {
    name: 'Acme Corporation',
    customMetaData: { note: ATTACK },
  });
  await client.delete(`/api-keys/${keyId}`);
  await client.post('/api-keys', { name: ATTACK, projectId });
});
afterAll(() => dashboard?.close());

const openPage = async (search = '', options: DashboardOptions = {}) => {
  opened = await dashboard.open(`/a/${dashboard.test.accountId}/audit-log${search}`, options);
  return opened.page;
};

afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

const rows = () => opened.page.locator('[data-index]').allTextContents();

describe('audit log', () => {
  it('shows names of former teammates and deleted webhooks, and no ids', async () => {
    const { client, accountId, projectId, url } = dashboard.test;
    const invited = { emails: ['grace@example.com'], role: 'developer', accountId };
    const { body } = await client.post('/invitations', invited);
    const grace = createTestPerson(url);
    const token = new URL(body[0].link).hash.slice(7);
    const named = { name: 'Grace Hopper', password: 'a ship in harbour is safe' };
    await grace.post(`/invitations/${body[0].id}/accept`, { token, ...named });
    const hook = {
      name: 'Portal',
      projectId,
      url: 'https://example.com',
      topics: ['api-key.deleted'],
    };
    const { id } = (await grace.post('/webhooks', hook)).body;
    const replayed = await grace.post(`/webhooks/${id}/replay`, {
      since: new Date().toISOString(),
    });
    expect(replayed.status, replayed.text).toBe(201);
    await grace.delete(`/webhooks/${id}`);
    await grace.delete(`/me/accounts/${accountId}`);
    const page = await openPage();
    await page.getByText('Grace Hopper left the account').waitFor();
    const text = (await rows()).join('\n');
    expect(text).toContain('Grace Hopper replayed events to the webhook Portal');
    expect(text).not.toMatch(/(usr|whk|ak|prj|key|inv)_/);
  });

  it('shows rows as sentences, and new rows automatically', async () => {
    const page = await openPage();
    await page.getByText('created the key Acme', { exact: false }).first().waitFor();
    const text = (await rows()).join('\n');
    expect(text).toContain('First access key revoked the key Acme Corporation');
    expect(text).toContain(`First access key created the key ${ATTACK}`);
    await dashboard.test.client.patch(`/projects/${dashboard.test.projectId}`, { name: 'Renamed' });
    await page.getByText('updated the project').waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });

  it('can be filtered by actor, action and target, and shows changes', async () => {
    const page = await openPage();
    await page.getByLabel('Action', { exact: true }).selectOption('api-key.updated');
    await expect.poll(rows).toHaveLength(1);
    await page.getByRole('row').filter({ hasText: 'Acme Corporation' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Changes' }).waitFor();
    const changes = await dialog.locator('dl').last().textContent();
    expect(changes).toContain('before: Acme');
    expect(changes).toContain('after: Acme Corporation');
    expect(changes).toContain(JSON.stringify(ATTACK));
    await dialog.getByRole('link', { name: 'View all changes to this target' }).click();
    await expect.poll(rows).toHaveLength(3);
    await expect.poll(() => page.url()).toContain(`target=${keyId}`);
    await page.getByLabel('Actor', { exact: true }).selectOption('Keyward');
    await page.getByText('No entries', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(async () => (await rows()).length).toBeGreaterThan(3);
  });

  it('is exported as one JSON object per line, with its filters', async () => {
    const page = await openPage(`?target=${keyId}&time=7d`);
    await expect.poll(rows).toHaveLength(3);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export NDJSON' }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    const lines = text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).action)).toEqual([
      'api-key.deleted',
      'api-key.updated',
      'api-key.created',
    ]);
  });

  it('passes axe in both themes', async () => {
    const page = await openPage('?action=api-key.updated');
    await page.getByRole('row').filter({ hasText: 'Acme Corporation' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('row').filter({ hasText: 'Acme Corporation' }).click();
    await page.waitForSelector('dialog[open]');
    expect(await axeViolations(page)).toEqual([]);
  });
});
