import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardOptions,
  type DashboardPage,
  startDashboard,
} from '../dashboard-browser.ts';
import { LOST_RESPONSE, loseFirstResponse } from '../lost-response.ts';

let dashboard: DashboardBrowser;
let opened: DashboardPage;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard?.close());

/** Opens a path below `/keys` of the project. */
const openKeys = async (path = '', options: DashboardOptions = {}) => {
  opened = await dashboard.open(`/p/${dashboard.test.projectId}/keys${path}`, options);
  return opened.page;
};

afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

const create = async (name: string, more = {}) =>
  (await dashboard.test.client.post('/api-keys', { name, ...more })).body;

const statusOf = async (key: string) =>
  (await dashboard.test.client.post('/api-keys/auth', { key })).status;

const row = (name: string) => opened.page.getByRole('row', { name });
const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
const dialog = () => opened.page.getByRole('dialog');
const message = (text: string) =>
  opened.page.getByRole('region', { name: 'Messages' }).getByText(text);

async function openMenu(item: string) {
  await button('More actions').click();
  await opened.page.getByRole('menuitem', { name: item }).click();
}

/** Everything that the page stores: its content, storage, input and URL. */
async function storedText(): Promise<string> {
  const { page } = opened;
  const stored = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');
  const typed = await page.evaluate(
    '[...document.querySelectorAll("input, textarea")].map(({ value }) => value).join()',
  );
  return [await page.content(), stored, typed, page.url()].join('\n');
}

describe('key', () => {
  it('is created in an empty project with instructions, and its value is shown once', async () => {
    const page = await openKeys();
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
    await expect.poll(() => page.locator('pre').textContent()).toContain(dashboard.test.projectId);
    await page.keyboard.press('c');
    await page.getByRole('textbox', { name: 'Name' }).fill('Acme, production');
    await page.getByRole('textbox', { name: 'Customer ID' }).fill('acme');
    await page.getByRole('textbox', { name: 'Metadata' }).fill('{"plan":');
    await page.keyboard.press('Control+Home');
    await dialog().getByRole('button', { name: 'Create key' }).click();
    await dialog().getByText('The JSON is incomplete').waitFor();
    await page.getByRole('textbox', { name: 'Metadata' }).fill('{"plan":"pro"}');
    await dialog().getByRole('checkbox', { name: 'Limit request rate' }).check();
    await dialog().getByRole('button', { name: 'Create key' }).click();
    const value = (await page.locator('[data-secret]').textContent())!;
    await expect.poll(() => page.locator('dialog pre').textContent()).toContain(value);
    const { status, body } = await dashboard.test.client.post('/api-keys/auth', { key: value });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Acme, production',
      customAccountId: 'acme',
      customMetaData: { plan: 'pro' },
      rateLimitConfigs: { rateLimit: 100, rateLimitTtl: 60 },
    });
    // An accidental Escape does not close the dialog.
    await page.keyboard.press('Escape');
    await dialog().getByText('This value will not be shown again').waitFor();
    await expect.poll(() => page.locator('[data-secret]').textContent()).toBe(value);
    await button('Done').click();
    await row('Acme, production').waitFor();
    expect(await storedText()).not.toContain(value);
  });

  it('is created once, although the response was lost and the form is sent again', async () => {
    const page = await openKeys('?create=true');
    await page.getByRole('textbox', { name: 'Name' }).fill('Lost');
    await dialog().getByLabel('Expires').selectOption('In 30 days');
    const keys = await loseFirstResponse(page, '**/api-keys');
    await dialog().getByRole('button', { name: 'Create key' }).click();
    await dialog().getByText(LOST_RESPONSE).waitFor();
    await dialog().getByRole('button', { name: 'Create key' }).click();
    const value = (await page.locator('[data-secret]').textContent())!;
    expect(await statusOf(value)).toBe(200);
    expect(keys).toEqual([keys[0], keys[0]]);
    const { body } = await dashboard.test.client.get('/api-keys?name=Lost');
    expect(body).toHaveLength(1);
    await button('Done').click();
  });

  it('is revoked, reactivated with undo, rotated and deleted permanently', async () => {
    const key = await create('Globex, staging');
    const page = await openKeys();
    await row('Globex, staging').first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Globex, staging', level: 1 }).waitFor();
    await openMenu('Revoke…');
    await button('Revoke key').click();
    await message('was revoked').waitFor();
    expect(await statusOf(key.key)).toBe(404);
    await page.getByText('This key is revoked').waitFor();
    await button('Undo').click();
    await message('was reactivated').waitFor();
    expect(await statusOf(key.key)).toBe(200);

    await button('Rotate').click();
    await dialog().getByLabel('Old key stops working').selectOption('Immediately');
    await dialog().getByRole('button', { name: 'Rotate' }).click();
    const value = (await page.locator('[data-secret]').textContent())!;
    expect([await statusOf(key.key), await statusOf(value)]).toEqual([404, 200]);
    await button('View key').click();
    await page.waitForURL((url) => !url.pathname.endsWith(key.id));
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(await storedText()).not.toContain(value);

    // The two keys link to each other, and only the new one can be rotated.
    const newKeyUrl = page.url();
    await button('Rotate').waitFor();
    await page.getByRole('link', { name: key.id }).click();
    await page.waitForURL((url) => url.pathname.endsWith(key.id));
    await page.getByText('This key was rotated').waitFor();
    expect(await button('Rotate').count()).toBe(0);
    await page.getByRole('link', { name: 'View the new key' }).click();
    await page.waitForURL(newKeyUrl);
    await button('Rotate').waitFor();

    await openMenu('Delete permanently…');
    await button('Delete permanently').click();
    await dialog().getByText('The text does not match Globex, staging.').waitFor();
    expect(await statusOf(value)).toBe(200);
    await dialog().getByRole('textbox').fill('Globex, staging');
    await button('Delete permanently').click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await message('was deleted').waitFor();
    expect(await statusOf(value)).toBe(404);
    const left = await dashboard.test.client.get('/api-keys?name=Globex,%20staging');
    expect(left.body.map(({ id }: { id: string }) => id)).toEqual([key.id]);
  });

  it('is edited, and its history shows the changes', async () => {
    const key = await create('Initech', { rateLimitConfigs: { rateLimit: 5, rateLimitTtl: 60 } });
    const page = await openKeys(`/${key.id}`);
    await page.getByText('No request refused by a limit in the last 24 hours').waitFor();
    await page.keyboard.press('e');
    await dialog().getByRole('textbox', { name: 'Name' }).fill('Initech, new');
    await dialog().getByLabel('Expires').selectOption('In 7 days');
    await page.keyboard.press('Tab');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Initech, new', level: 1 }).waitFor();
    await page.getByText('This key expires soon').waitFor();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('Name: Initech → Initech, new').waitFor();
    await history.getByText('Created').waitFor();
    const { body } = await dashboard.test.client.get(`/api-keys/${key.id}`);
    expect(body.rateLimitConfigs).toEqual({ rateLimit: 5, rateLimitTtl: 60 });
  });
});

describe('list of keys', () => {
  it('is searched, filtered and sorted, with everything in the URL', async () => {
    await create('Needle in the hay', { customAccountId: 'needles' });
    const over = await create('Needle, over');
    await dashboard.test.client.delete(`/api-keys/${over.id}`);
    const page = await openKeys();
    await page.keyboard.press('/');
    await page.keyboard.type('NEEDLE');
    await expect.poll(() => page.locator('[data-index]').count()).toBe(2);
    await button('Filter by Status').click();
    await page.getByRole('menuitem', { name: 'Revoked' }).click();
    await expect.poll(() => page.locator('[data-index]').count()).toBe(1);
    await button('Name').click();
    await expect.poll(() => new URL(page.url()).search).toContain('sort=name');
    expect(new URL(page.url()).searchParams.get('state')).toBe('revoked');
    await page.reload();
    await row('Needle, over').waitFor();
    await button('Remove filter Status: Revoked').click();
    await expect.poll(() => page.locator('[data-index]').count()).toBe(2);
    await button('Clear').click();
    await row('Needle in the hay').waitFor();
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('');
  });

  it('finds a key by a pasted value, which is not in the URL', async () => {
    const key = await create('Pasted');
    const page = await openKeys();
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.getByRole('searchbox').fill(key.key);
    await expect.poll(() => page.locator('[data-index]').count()).toBe(1);
    await row('Pasted').waitFor();
    expect(await storedText()).not.toContain(key.key);
    expect(requested.join()).not.toContain(key.key);
  });

  it('revokes several keys by keyboard, and undoes it', async () => {
    const keys = [await create('Bulk one'), await create('Bulk two')];
    const page = await openKeys('?search=Bulk');
    await row('Bulk two').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate('document.activeElement?.dataset.index')).toBe('1');
    await page.keyboard.press('Space');
    await button('Revoke 2…').click();
    await button('Revoke 2 keys').click();
    await message('2 keys were revoked').waitFor();
    for (const { key } of keys) expect(await statusOf(key)).toBe(404);
    await button('Undo').click();
    await message('2 keys were reactivated').waitFor();
    for (const { key } of keys) expect(await statusOf(key)).toBe(200);
  });

  it('offers a viewer no action that would be rejected', async () => {
    await create('Seen by a viewer');
    const page = await openKeys('', { role: 'viewer' });
    await row('Seen by a viewer').waitFor();
    await expect.poll(() => button('Create key').count()).toBe(0);
    expect(await page.locator('[role=grid] input').count()).toBe(0);
    await row('Seen by a viewer').click();
    await page.getByRole('heading', { name: 'Seen by a viewer', level: 1 }).waitFor();
    expect(await button('More actions').count()).toBe(0);
  });
});

describe('markup in a name and metadata', () => {
  const attack = `"><img src=x onerror=violated('ran')><script>violated('ran')</script>{{7*7}}`;

  it('is shown as text, and runs no script', async () => {
    const key = await create(attack, {
      customAccountId: attack,
      customUserId: `javascript:violated('ran')`,
      customMetaData: { [attack]: '</script><script>violated("ran")</script>' },
    });
    await dashboard.test.client.patch(`/api-keys/${key.id}`, { name: `${attack} again` });
    const page = await openKeys();
    await page.getByRole('link', { name: attack }).click();
    await page.getByRole('heading', { name: `${attack} again`, level: 1 }).waitFor();
    await page.getByRole('region', { name: 'History' }).getByText(`→ ${attack} again`).waitFor();
    await page.keyboard.press('e');
    await expect
      .poll(() => dialog().getByRole('textbox', { name: 'Name' }).inputValue())
      .toContain(attack);
    await page.keyboard.press('Escape');
    await openMenu('Revoke…');
    await button('Revoke key').click();
    await message('was revoked').waitFor();
    expect(await page.locator('main img, main script, [onerror]').count()).toBe(0);
    await page.getByRole('link', { name: attack, exact: true }).click();
    await page.getByRole('heading', { name: attack, level: 1 }).waitFor();
    expect(await page.locator('main img, main script, [onerror]').count()).toBe(0);
    await page.getByRole('link', { name: 'View in the list of keys' }).click();
    await button(`Remove filter Customer: ${attack}`).waitFor();
    await expect.poll(() => page.locator('[data-index]').count()).toBe(1);
  });
});

describe('in both themes', () => {
  it('the list of keys and its dialogs pass axe, also on a phone', async () => {
    await create('Axe, list');
    const page = await openKeys('');
    await row('Axe, list').waitFor();
    await page.locator('[role=grid] input').first().check();
    expect(await axeViolations(page)).toEqual([]);
    await button('Filter by Customer').click();
    await page.getByRole('textbox', { name: 'Customer ID' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await button('Actions for Axe, list').click();
    await page.getByRole('menuitem', { name: 'Rotate…' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await button('Set rate limit…').click();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await button('Create key').click();
    await dialog().getByRole('textbox', { name: 'Name' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog().getByRole('textbox', { name: 'Name' }).fill('Axe');
    await dialog().getByRole('button', { name: 'Create key' }).click();
    await page.locator('[data-secret]').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('a key and its dialogs pass axe', async () => {
    const key = await create('Axe, details', {
      customMetaData: { plan: 'pro' },
      customAccountId: 'axe',
      rateLimitConfigs: { rateLimit: 5, rateLimitTtl: 60 },
      expiry: new Date(Date.now() + 86_400_000).toISOString(),
    });
    await statusOf(key.key);
    const page = await openKeys(`/${key.id}`);
    await page.getByRole('figure', { name: 'Validations of this key' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    for (const open of [() => button('Edit').click(), () => button('Rotate').click()]) {
      await open();
      await dialog().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await openMenu('Delete permanently…');
    await dialog().waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
