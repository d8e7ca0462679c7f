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

describe('a key value in a search field', () => {
  const own = 'our-old-system-value-0815';
  let ownKey: Key;
  beforeAll(async () => {
    const { client } = dashboard.test;
    const input = { name: 'Brought along', key: own, customAccountId: 'cus_77' };
    ownKey = (await client.post('/api-keys', input)).body;
  });

  /** Everything that the page sent and where it is now, except what `allowed` is. */
  async function sentBy(act: (page: DashboardPage['page']) => Promise<void>, path: string) {
    const page = await open(path);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    page.on('framenavigated', (frame) => sent.push(frame.url()));
    await act(page);
    return [...sent, page.url()].join('\n');
  }

  it.each([
    ['generated', () => key.key, /^Umbrella, production/],
    ['of another system', () => own, /^Brought along/],
  ])('%s, finds the key in the palette without being sent', async (_, value, name) => {
    const sent = await sentBy(async () => {
      await searchFor(value());
      await option(name).waitFor();
    }, overview());
    expect(sent).not.toContain(value());
  });

  it('finds the key in the list, the audit log and the customers by id, and stays out of every URL', async () => {
    const rowOf = async (page: DashboardPage['page'], param: string, expected: string) => {
      await page.getByRole('searchbox').fill(own);
      await expect.poll(() => new URL(page.url()).searchParams.get(param)).toBe(expected);
      expect(await page.getByRole('searchbox').inputValue()).toBe(expected);
    };
    const { projectId } = dashboard.test;
    for (const [path, param, expected] of [
      [`/p/${projectId}/keys`, 'search', ownKey.id],
      [auditLog(), 'q', ownKey.id],
      [`/p/${projectId}/customers`, 'q', 'cus_77'],
    ] as const)
      expect(await sentBy((page) => rowOf(page, param, expected), path)).not.toContain(own);
  });

  it('that no key has is cut if it looks random', async () => {
    const unknown = 'Zx81-aB3dEf6hIj9lMn2p';
    const sent = await sentBy(async (page) => {
      await page.getByRole('searchbox').fill(unknown);
      await expect.poll(() => new URL(page.url()).searchParams.get('search')).toBe('Zx81-');
    }, `/p/${dashboard.test.projectId}/keys`);
    expect(sent).not.toContain(unknown);
  });

  it('of an access key finds it by its visible start', async () => {
    const { client, projectId } = dashboard.test;
    const { body } = await client.post('/access-keys', { name: 'Pasted', projectId });
    const sent = await sentBy(async (page) => {
      await page.getByRole('searchbox').fill(body.key);
      await page.getByText('1 access key', { exact: true }).waitFor();
      await page.getByRole('row', { name: /Pasted/ }).waitFor();
    }, `/p/${projectId}/access-keys`);
    expect(sent).not.toContain(body.key);
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
