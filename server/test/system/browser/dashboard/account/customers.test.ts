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
afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

const open = async (path: string, options?: DashboardOptions) => {
  opened = await dashboard.open(`/p/${dashboard.test.projectId}${path}`, options);
  return opened.page;
};
/** Creates something in the project of the test. */
const post = async (path: string, body: object) => {
  const { client, projectId } = dashboard.test;
  const response = await client.post(path, { projectId, ...body });
  expect(response.status, response.text).toBeLessThan(300);
  return response.body;
};
const validate = (key: string) => dashboard.test.client.post('/api-keys/auth', { key });
const limit = { name: 'day', rateLimit: 10, rateLimitTtl: 86_400, per: 'customer' };

describe('customers', () => {
  it('are explained while there are none, and created with a plan and credits', async () => {
    const { client } = dashboard.test;
    const project = (await client.post('/projects', { name: 'Empty' })).body;
    await post('/plans', { name: 'Pro', projectId: project.id });
    opened = await dashboard.open(`/p/${project.id}/customers`);
    const { page } = opened;
    await page.getByRole('heading', { name: 'No customers yet' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create customer' }).click();
    await dialog.getByText('Enter the customer ID.').waitFor();
    await dialog.getByLabel('Customer ID').fill('acme');
    await dialog.getByLabel('Name').fill('Acme Inc.');
    await dialog.getByLabel('Plan').selectOption({ label: 'Pro' });
    await dialog.getByRole('checkbox', { name: 'Prepaid credits of this customer' }).check();
    await dialog.getByLabel('Credits to start with').fill('500');
    await dialog.getByLabel('Refill', { exact: true }).selectOption('month');
    await dialog.getByLabel('Time zone').selectOption('Europe/Berlin');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create customer' }).click();
    await page.getByRole('heading', { name: 'Acme Inc.', level: 1 }).waitFor();
    await page.getByText('refilled to 1,000 every month (Europe/Berlin time)').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const customers = await client.get(`/customers?projectId=${project.id}`);
    expect(customers.body).toMatchObject([
      {
        customAccountId: 'acme',
        planId: expect.any(String),
        credits: { remaining: 500, refill: { amount: 1000, interval: 'month' } },
      },
    ]);
  });
});

it('customers are listed with usage, keys and credits, and found by name, tag and plan', async () => {
  const plan = await post('/plans', { name: 'Gold' });
  const credits = { remaining: 1500 };
  await post('/customers', { customAccountId: 'globex', name: 'Globex', planId: plan.id, credits });
  await post('/customers', { customAccountId: 'hooli', name: 'Hooli', tags: ['trial'] });
  const { key } = await post('/api-keys', { name: 'Globex, app', customAccountId: 'globex' });
  await validate(key);
  await validate(key);
  const page = await open('/customers');
  const row = page.getByRole('row', { name: 'Globex' });
  await expect
    .poll(() => row.getByRole('gridcell').allTextContents())
    .toEqual(['Globexglobex', 'Gold', '—', '2', '1', '1,498', expect.any(String)]);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('searchbox').fill('hool');
  await expect.poll(() => page.locator('[data-index]').count()).toBe(1);
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('button', { name: 'Filter by Tag' }).click();
  await page.getByRole('menuitem', { name: 'trial' }).click();
  await expect.poll(() => page.locator('[data-index]').count()).toBe(1);
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('button', { name: 'Filter by Plan' }).click();
  await page.getByRole('menuitem', { name: 'Gold' }).click();
  await expect.poll(() => page.locator('[data-index]').count()).toBe(1);
  await row.click();
  await page.getByRole('heading', { name: 'Globex', level: 1 }).waitFor();
});

it('customers show what is left of shared limits and credits, and a history with the values before and after a change', async () => {
  const credits = { remaining: 5 };
  const customAccountId = 'initech';
  await post('/customers', { customAccountId, credits, limits: [limit] });
  const { key } = await post('/api-keys', { name: 'Initech, app', customAccountId });
  for (let call = 0; call < 3; call++) await validate(key);
  const page = await open(`/customers/${customAccountId}`);
  await page.getByText('7 of 10 left').waitFor();
  const pool = page.getByRole('region', { name: 'Credits' });
  await pool.getByText('2', { exact: true }).waitFor();
  await page.getByRole('row', { name: 'Initech, app' }).waitFor();

  await page.getByRole('button', { name: 'Change credits…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Add credits' }).click();
  await dialog.getByText('Enter a whole number').waitFor();
  await dialog.getByLabel('Credits', { exact: true }).fill('1,000');
  await dialog.getByText('1,002 left after this change.').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add credits' }).click();
  await page.getByText('initech has 1,002 credits left.').first().waitFor();
  await pool.getByText('1,002').waitFor();
  const history = page.getByRole('region', { name: 'History' });
  await history.getByText('Credits changed').waitFor();
  await history.getByText('→ 1,002 left, not refilled').waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

it('customers without keys show nothing of the customer that was open before', async () => {
  const { key } = await post('/api-keys', { name: 'Umbrella, app', customAccountId: 'umbrella' });
  await post('/customers', {
    customAccountId: 'umbrella',
    limits: [limit],
    credits: { remaining: 5 },
  });
  await post('/customers', { customAccountId: 'without-keys', limits: [limit] });
  await validate(key);
  const page = await open('/customers/without-keys');
  const none = page.getByText('No keys have this customer ID yet.');
  await none.waitFor();
  // Like a click on a link: the page stays loaded.
  await page.evaluate(`history.pushState({}, '', location.pathname.replace('without-keys', 'umbrella'));
    dispatchEvent(new PopStateEvent('popstate'))`);
  await page.getByText('9 of 10 left').waitFor();
  await page.goBack();
  await none.waitFor();
  expect(await page.getByText('of 10 left').count()).toBe(0);
});

it('customers get credits once, although the response was lost and the change is repeated', async () => {
  const { id } = await post('/customers', { customAccountId: 'lost', credits: { remaining: 0 } });
  const page = await open('/customers/lost');
  await page.getByRole('button', { name: 'Change credits…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Credits', { exact: true }).fill('100');
  const keys = await loseFirstResponse(page, '**/customers/*/credits');
  await dialog.getByRole('button', { name: 'Add credits' }).click();
  await dialog.getByText(LOST_RESPONSE).waitFor();
  await dialog.getByRole('button', { name: 'Add credits' }).click();
  await page.getByText('lost has 100 credits left.').first().waitFor();
  expect(keys).toEqual([keys[0], keys[0]]);
  const { body } = await dashboard.test.client.get(`/customers/${id}`);
  expect(body.credits.remaining).toBe(100);
});

it('customers whose pool is not open yet show the balance only after credits are added, since their plan adds its own', async () => {
  const plan = await post('/plans', { name: 'Prepaid', credits: { amount: 1000, interval: null } });
  await post('/customers', { customAccountId: 'unopened', planId: plan.id });
  const page = await open('/customers/unopened');
  await page.getByRole('button', { name: 'Add credits…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Credits', { exact: true }).fill('500');
  await dialog.getByText('Set', { exact: true }).click();
  await dialog.getByText('500 left after this change.').waitFor();
  await dialog.getByText('Add', { exact: true }).click();
  expect(await dialog.getByText('left after this change').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Add credits' }).click();
  await page.getByText('unopened has 1,500 credits left.').first().waitFor();
});

it('customers known only from their keys have a page, from which they are created', async () => {
  const { id } = await post('/api-keys', { name: 'Umbrella', customAccountId: 'umbrella/eu' });
  const page = await open('/customers');
  await page.getByRole('link', { name: 'umbrella/eu' }).waitFor();
  await page.goto(page.url().replace('customers', `keys/${id}`));
  await page.getByRole('link', { name: 'umbrella/eu' }).click();
  await page.getByText('This customer has no settings yet').waitFor();
  await page.getByRole('row', { name: 'Umbrella' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create customer' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Umbrella Corp.');
  await dialog.getByRole('button', { name: 'Create customer' }).click();
  await page.getByRole('heading', { name: 'Umbrella Corp.', level: 1 }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Umbrella Corp.', level: 1 }).waitFor();
});

it('customers can be deleted; their keys stay', async () => {
  await post('/customers', { customAccountId: 'gone', name: 'Gone Inc.' });
  await post('/api-keys', { name: 'Stays', customAccountId: 'gone' });
  const page = await open('/customers/gone');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Type gone to confirm').fill('gone');
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('This customer has no settings yet').waitFor();
  await page.getByRole('row', { name: 'Stays' }).waitFor();
});

it('customers can be read by viewers, without buttons to change them', async () => {
  await post('/customers', { customAccountId: 'seen', credits: { remaining: 42 } });
  const page = await open('/customers/seen', { role: 'viewer' });
  await page.getByText('42', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'View only' }).waitFor();
  for (const name of ['Edit', 'More actions', 'Change credits…', 'Open as this customer'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
});

it('the page of a key shows where each limit is set, customer or plan, and what is left', async () => {
  const plan = await post('/plans', {
    name: 'Silver',
    permissions: ['documents.read'],
    limits: [{ name: 'minute', rateLimit: 50, rateLimitTtl: 3600 }],
    credits: { amount: 20, interval: null },
  });
  await post('/customers', { customAccountId: 'stark', planId: plan.id, limits: [limit] });
  const { id, key } = await post('/api-keys', {
    name: 'Stark',
    customAccountId: 'stark',
    rateLimitConfigs: { rateLimit: 30, rateLimitTtl: 3600 },
  });
  await validate(key);
  const page = await open(`/keys/${id}`);
  const limits = page.getByRole('list', { name: 'Limits' }).getByRole('listitem');
  await expect
    .poll(() => limits.allTextContents())
    .toEqual([
      expect.stringMatching(/^30 requests per hourdefaultThis key29 of 30 left, resets in/),
      expect.stringMatching(/^50 requests per hourminutePlan Silver49 of 50 left, resets in/),
      expect.stringMatching(/^10 requests per dayday.*Customer stark.*9 of 10 left, resets /),
    ]);
  await page.getByRole('region', { name: 'Credits' }).getByText('19').waitFor();
  await page.getByText('Silver (of the customer)').waitFor();
  await page.getByText('documents.read').first().waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Change credits…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Set', { exact: true }).click();
  await dialog.getByLabel('Credits', { exact: true }).fill('0');
  await dialog.getByRole('button', { name: 'Set credits' }).click();
  await page.getByText('Requests are refused with 429 until credits are added').waitFor();
  expect((await validate(key)).status).toBe(429);
});
