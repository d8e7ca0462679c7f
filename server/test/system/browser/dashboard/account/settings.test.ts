import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestPerson } from '../../../../harness/test-person.ts';
import { totp } from '../../../../harness/totp.ts';
import { axeViolations, type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'a long way from home' };

let dashboard: DashboardBrowser;
let cookies: ReadonlyMap<string, string>;
beforeAll(async () => {
  const github = { clientId: 'keyward-client', clientSecret: 'hush' };
  dashboard = await startDashboard({ loginProviders: { github } });
  const ada = createTestPerson(dashboard.test.url);
  await ada.post('/auth/setup', { token: dashboard.test.setupToken, ...ADA });
  cookies = ada.cookies;
});
afterAll(() => dashboard?.close());

/** Opens the settings as if the user had just signed in: changes of logins need a recent sign-in. */
async function openAfterSignIn() {
  await dashboard.test.storage.transaction((tx) =>
    tx.updateTable('sessions').set({ confirmed_at: Date.now() }).execute(),
  );
  return dashboard.open('/settings', { cookies });
}

const cardOf = (page: Page, name: string) => page.getByRole('region', { name });

it('passes axe in both themes', async () => {
  const { page, failures } = await dashboard.open('/settings', { cookies });
  await page.getByText('This device').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(failures).toEqual([]);
});

it('saves a name, and shows it everywhere immediately', async () => {
  const { page } = await dashboard.open('/settings', { cookies });
  await page.getByLabel('Name', { exact: true }).fill('Ada King');
  await cardOf(page, 'Profile').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'User menu: Ada King' }).waitFor();
});

it('shows owners the state of the database and of Redis', async () => {
  const accountPage = `/a/${dashboard.test.accountId}/account`;
  const { page, failures } = await dashboard.open(accountPage, { cookies });
  const card = cardOf(page, 'Server');
  await card.getByText('SQLite').waitFor();
  await card.getByText('Counted in memory').waitFor();
  expect(await axeViolations(page)).toEqual([]);

  const since = new Date(Date.now() - 3_600_000).toISOString();
  const state = { isConnected: true, since, reconnects: 0, failovers: 0 };
  const redis = { mode: 'cluster', addresses: ['redis-1:6379', 'redis-2:6379'], ...state };
  const engines = {
    database: {
      engine: 'postgres',
      connection: { address: 'db-2:5432', ...state, reconnects: 2, failovers: 1 },
    },
    rateLimits: { counted: 'per-node', redis: { ...redis, isConnected: false } },
    changes: { nodes: 3, isConnected: true, behindMs: 120 },
  };
  await page.route('**/engines', (route) => route.fulfill({ json: engines }));
  await page.reload();
  await card.getByText('db-2:5432').waitFor();
  const rows = (await card.locator('dl > div').allTextContents()).map((row) =>
    row.replaceAll(/\s+/g, ' '),
  );
  expect(rows).toEqual([
    expect.stringMatching(
      /^DatabasePostgreSQLdb-2:5432Connectedsince .*1 hour ago, 2 reconnects, 1 failover$/,
    ),
    expect.stringMatching(
      /^Rate limitsRedis Clusterredis-1:6379, redis-2:6379A Redis server does not reply. Each node enforces its share of the limits on that server./,
    ),
    'Nodes3This node has all changes of the others up to 0.1 s ago',
  ]);
  expect(await axeViolations(page)).toEqual([]);
  expect(failures).toEqual([]);

  const admin = await dashboard.open(accountPage, { role: 'admin' });
  await cardOf(admin.page, 'General').waitFor();
  expect(await cardOf(admin.page, 'Server').count()).toBe(0);
});

it('explains why a password is rejected', async () => {
  const { page } = await dashboard.open('/settings', { cookies });
  const card = cardOf(page, 'Password');
  await card.getByLabel('Current password', { exact: true }).fill(ADA.password);
  await card.getByLabel('New password', { exact: true }).fill('password1234');
  await card.getByRole('button', { name: 'Change password' }).click();
  await card.getByRole('alert').waitFor();
  // Still signed in: a rejected password does not end the session.
  await expect.poll(() => page.url()).toContain('/settings');
});

it('offers to link only identity providers that are configured', async () => {
  const { page } = await openAfterSignIn();
  const card = cardOf(page, 'Sign-in providers');
  await card.getByRole('button').first().waitFor();
  await expect.poll(() => card.getByRole('button').allTextContents()).toEqual(['Link GitHub']);
  const request = page.waitForRequest((request) => request.url().startsWith('https://github.com/'));
  await page.route('https://github.com/**', (route) => route.fulfill({ body: 'There.' }));
  await card.getByRole('button', { name: 'Link GitHub' }).click();
  expect(new URL((await request).url()).searchParams.get('client_id')).toBe('keyward-client');
});

it('says why a provider was not linked', async () => {
  const { page } = await dashboard.open(
    '/settings?error=account_already_linked_to_different_user',
    {
      cookies,
    },
  );
  await cardOf(page, 'Sign-in providers').getByText('already linked to another user').waitFor();
});

it('shows and unlinks a linked provider', async () => {
  const { storage } = dashboard.test;
  const [ada] = await storage.point
    .selectFrom('users')
    .select('id')
    .where('email', '=', ADA.email)
    .execute();
  const times = { created_at: Date.now(), updated_at: Date.now() };
  const row = {
    id: 'linked-1',
    user_id: ada!.id,
    account_id: '1',
    provider_id: 'github',
    ...times,
  };
  await storage.transaction((tx) => tx.insertInto('credentials').values(row).execute());

  const { page, failures } = await openAfterSignIn();
  const card = cardOf(page, 'Sign-in providers');
  await card.getByRole('button', { name: 'Unlink GitHub' }).click();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => card.getByRole('button').allTextContents()).toEqual(['Link GitHub']);
  expect(failures).toEqual([]);
});

it('ends another session', async () => {
  const other = createTestPerson(dashboard.test.url);
  await other.post('/auth/sign-in', { email: ADA.email, password: ADA.password });
  const { page } = await dashboard.open('/settings', { cookies });
  await cardOf(page, 'Sessions').getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('region', { name: 'Messages' }).getByText('Session signed out.').waitFor();
  expect((await other.get('/me')).status).toBe(401);
});

it('enables the second factor, shows codes once, and requires one at the next sign-in', async () => {
  const { page, failures } = await dashboard.open('/settings', { cookies });
  await page.getByRole('button', { name: 'Turn on…' }).click();
  await page.getByLabel('Your password', { exact: true }).fill(ADA.password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('img', { name: 'QR code with the secret' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  await page.getByLabel('Six-digit code').fill(totp(secret, Date.now()));
  await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  const codes = await page.getByRole('dialog').locator('li code').allTextContents();
  expect(codes.length).toBeGreaterThanOrEqual(8);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Turn off…' }).waitFor();
  const stored = await page.evaluate('document.body.innerHTML + JSON.stringify(localStorage)');
  for (const shown of [secret, ...codes]) expect(stored).not.toContain(shown);
  expect(failures).toEqual([]);

  const { page: login } = await dashboard.open('/login', { role: null });
  await login.getByLabel('Email').fill(ADA.email);
  await login.getByLabel('Password', { exact: true }).fill(ADA.password);
  await login.getByRole('button', { name: 'Sign in', exact: true }).click();
  await login.getByRole('button', { name: 'Use a recovery code' }).click();
  await login.getByLabel('Recovery code').fill(codes[0] ?? '');
  await login.getByRole('button', { name: 'Continue' }).click();
  await login.getByRole('heading', { name: 'Overview' }).waitFor();
});
