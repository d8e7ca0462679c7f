import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardPage,
  startDashboard,
} from '../dashboard-browser.ts';

interface Key {
  readonly id: string;
  readonly key: string;
}

let dashboard: DashboardBrowser;
let opened: DashboardPage;
let key: Key;
beforeAll(async () => {
  dashboard = await startDashboard();
  const { client } = dashboard.test;
  key = (await client.post('/api-keys', { name: 'Umbrella, production', customAccountId: 'cus_u' }))
    .body;
  await client.post('/api-keys', { name: 'Another key' });
  await client.delete(`/api-keys/${key.id}`);
  const deleted = (await client.post('/api-keys', { name: 'Deleted key' })).body;
  await client.delete(`/api-keys/${deleted.id}?permanent=true`);
  const webhook = { name: 'Umbrella ERP', url: 'https://erp.example', topics: ['api-key.deleted'] };
  await client.post('/webhooks', webhook);
  await client.post('/customers', { customAccountId: 'cus_77', name: 'Wayne Enterprises' });
  await client.post('/plans', { name: 'Platinum' });
});
afterAll(() => dashboard?.close());

const open = async (path: string) => {
  opened = await dashboard.open(path);
  return opened.page;
};
const overview = () => `/p/${dashboard.test.projectId}`;
const team = () => `/a/${dashboard.test.accountId}/team`;
const auditLog = () => `/a/${dashboard.test.accountId}/audit-log`;

afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

async function searchFor(text: string) {
  const { page } = opened;
  await page.getByRole('button', { name: 'Search or jump to…' }).click();
  await page.getByRole('combobox').fill(text);
}
const option = (name: string | RegExp) => opened.page.getByRole('option', { name });

describe('search', () => {
  it.each([
    ['name', () => 'umbrella, p'],
    ['id', () => key.id],
    ['value prefix', () => key.key.slice(0, 11)],
    ['customer', () => 'cus_u'],
  ])('finds a key by its %s', async (_, text) => {
    const page = await open(team());
    await searchFor(text());
    await option(/^Umbrella, production/).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/keys/${key.id}`));
  });

  it('never sends a full key value', async () => {
    const page = await open(overview());
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await searchFor(key.key);
    await option(/^Umbrella, production/).waitFor();
    expect(requested.join()).not.toContain(key.key);
  });

  it('finds webhooks and teammates, and passes axe', async () => {
    const page = await open(overview());
    const me = (await page.getByRole('button', { name: /^User menu/ }).getAttribute('aria-label'))!;
    const name = me.replace('User menu: ', '');
    await searchFor(name);
    await option(`Changes by ${name}`).waitFor();
    await page.getByRole('combobox').fill('erp.example');
    await option(/^Umbrella ERP/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await option(/^Umbrella ERP/).click();
    await page.getByRole('heading', { name: 'Umbrella ERP', level: 1 }).waitFor();
  });

  it.each([
    ['a customer', 'wayne', 'Wayne Enterprises'],
    ['a customer by its id', 'cus_77', 'Wayne Enterprises'],
    ['a plan', 'platin', 'Platinum'],
  ])('finds %s', async (_, text, name) => {
    const page = await open(overview());
    await searchFor(text);
    await option(new RegExp(`^${name}`)).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  });

  it('shows who revoked a key in two clicks', async () => {
    const page = await open(overview());
    await searchFor('Umbrella, production');
    await option('Changes to Umbrella, production').click();
    await page.getByText('revoked the key').waitFor();
    await expect.poll(() => page.locator('[data-index]').count()).toBe(2);
  });

  it('creates a key from any page', async () => {
    const page = await open(team());
    await searchFor('Create key');
    await option('Create key').click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor();
    await page.goto(page.url().replace(/\/p\/.*/, auditLog()));
    await page.waitForSelector('h1');
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor();
  });
});

describe('audit log search', () => {
  it.each([
    ['a key', 'umbrella, PROD', 2],
    ['a deleted key', 'deleted key', 2],
  ])('finds changes to %s by name', async (_, text, count) => {
    const page = await open(auditLog());
    await expect.poll(() => page.locator('[data-index]').count()).toBeGreaterThan(4);
    await page.getByRole('searchbox').fill(text);
    await expect.poll(() => page.locator('[data-index]').count()).toBe(count);
    expect(new URL(page.url()).searchParams.get('q')).toBe(text);
  });

  it('shows no entries for an unknown name', async () => {
    const page = await open(auditLog());
    await expect.poll(() => page.locator('[data-index]').count()).toBeGreaterThan(4);
    await page.getByRole('searchbox').fill('no such thing');
    await page.getByText('No entries', { exact: true }).waitFor();
    expect(await page.locator('[data-index]').count()).toBe(0);
  });
});
