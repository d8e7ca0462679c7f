import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardOptions,
  type DashboardPage,
  startDashboard,
} from '../dashboard-browser.ts';

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
const createPlan = (name: string, more = {}) => post('/plans', { name, ...more });
const day = { name: 'day', rateLimit: 100, rateLimitTtl: 86_400 };

describe('plans', () => {
  it('are explained while there are none, and created in a form that shows the settings of a key on the plan', async () => {
    const { client } = dashboard.test;
    const project = (await client.post('/projects', { name: 'Empty' })).body;
    opened = await dashboard.open(`/p/${project.id}/plans`);
    const { page } = opened;
    await page.getByRole('heading', { name: 'No plans yet' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Pro');
    await dialog.getByRole('button', { name: 'Add limit' }).click();
    const limit = dialog.getByRole('group', { name: 'Limit minute' });
    await limit.getByLabel('Requests').fill('many');
    await dialog.getByRole('button', { name: 'Create plan' }).click();
    await dialog.getByText('Enter the number of requests as a whole number').waitFor();
    await limit.getByLabel('Requests').fill('50');
    await limit.getByLabel('Counted for').selectOption('customer');
    await limit.getByLabel('When reached').selectOption('shadow');
    await dialog.getByRole('checkbox', { name: 'Include credits' }).check();
    await dialog.getByLabel('Credits', { exact: true }).fill('1,000');
    await dialog.getByRole('textbox', { name: 'Permissions' }).fill('documents.*');
    const terms = dialog.getByRole('region', { name: 'Settings of a key on this plan' });
    await terms.getByText('50 requests per minute').waitFor();
    await terms.getByText('Shared by all keys of the customer, reported only').waitFor();
    await terms.getByText('1,000 credits, refilled every month').waitFor();
    await terms.getByText('documents.*').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create plan' }).click();
    await page.getByRole('heading', { name: 'Pro', level: 1 }).waitFor();
    const [plan] = (await client.get(`/plans?projectId=${project.id}`)).body;
    expect(plan).toMatchObject({
      name: 'Pro',
      permissions: ['documents.*'],
      limits: [{ name: 'minute', rateLimit: 50, per: 'customer', mode: 'shadow' }],
      credits: { amount: 1000, interval: 'month' },
    });
    expect(await axeViolations(page)).toEqual([]);
  });
});

it('plans are listed with their limits in words and how many customers and keys have them', async () => {
  const { id } = await createPlan('Listed', { limits: [day] });
  await post('/customers', { customAccountId: 'listed', planId: id });
  await post('/api-keys', { name: 'One', planId: id });
  await post('/api-keys', { name: 'Two', planId: id });
  const page = await open('/plans');
  const row = page.getByRole('row', { name: 'Listed' });
  await expect
    .poll(() => row.getByRole('gridcell').allTextContents())
    .toEqual(['Listed', '100 requests per day', '—', '1', '2', expect.any(String)]);
  expect(await axeViolations(page)).toEqual([]);
  await row.click();
  await page.getByRole('link', { name: '2', exact: true }).click();
  await page.getByRole('button', { name: 'Remove filter Plan set on key: Listed' }).waitFor();
  await expect.poll(() => page.locator('[data-index]').count()).toBe(2);
});

it('plans can be the default of the project, and then cannot be deleted', async () => {
  const { client, projectId } = dashboard.test;
  const { id } = await createPlan('Basic');
  const key = await post('/api-keys', { name: 'Plain' });
  const page = await open(`/plans/${id}`);
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const dialog = page.getByRole('dialog');
  await choose('Make default…');
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Make default' }).click();
  await page.getByText('Default plan of Default project', { exact: true }).waitFor();
  expect((await client.get(`/projects/${projectId}`)).body.defaultPlanId).toBe(id);

  await choose('Delete…');
  await dialog.getByText('It is the default plan of the project.').waitFor();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByText('This plan is the default of its project').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.goto(page.url().replace(/plans.*/, `keys/${key.id}`));
  await page.getByText('Basic (project default)').waitFor();

  await page.getByRole('link', { name: 'Basic' }).click();
  await choose('Remove as default…');
  await dialog.getByRole('button', { name: 'Remove as default' }).click();
  await page
    .getByText('Default plan of Default project', { exact: true })
    .waitFor({ state: 'detached' });
  await choose('Delete…');
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('heading', { name: 'Plans', level: 1 }).waitFor();
  expect((await client.get(`/plans/${id}`)).status).toBe(404);
});

describe('the preview with recorded requests', () => {
  let planId: string;
  let trialId: string;

  beforeAll(async () => {
    planId = (await createPlan('Draft')).id;
    const shadow = { ...day, rateLimit: 3, mode: 'shadow' };
    await post('/customers', { customAccountId: 'trial', limits: [shadow] });
    const keys = [
      await post('/api-keys', { name: 'Busy', customAccountId: 'busy', planId }),
      await post('/api-keys', {
        ...{ name: 'Trial', customAccountId: 'trial' },
        limits: [{ ...shadow, name: 'own', rateLimit: 4 }],
      }),
    ];
    trialId = keys[1].id;
    const { client, projectId } = dashboard.test;
    for (const { key } of keys)
      for (let call = 0; call < 5; call++) await client.post('/api-keys/auth', { key });
    await dashboard.test.app.tally.flush();
    // Only requests of past minutes are replayed.
    dashboard.test.clock.aheadMs += 60_000;
    const { body } = await client.post('/plans/preview', { projectId });
    expect(body.evaluated.requests).toBe(10);
  });

  it('shows what a plan would have refused before it is saved', async () => {
    const page = await open(`/plans/${planId}`);
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add limit' }).click();
    const limit = dialog.getByRole('group', { name: 'Limit minute' });
    await limit.getByLabel('Requests').fill('3');
    await limit.getByLabel('Unit').selectOption('day');
    await limit.getByLabel('When reached').selectOption('shadow');
    await dialog.getByRole('button', { name: 'Replay the last 48 hours' }).click();
    await dialog.getByText('would have refused 2 of 5 requests').waitFor();
    await dialog.getByText('If enforced').waitFor();
    await dialog.getByRole('link', { name: 'busy' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await limit.getByLabel('Requests').fill('9');
    await dialog.getByText('The settings have changed').waitFor();
    await dialog.getByRole('button', { name: 'Replay the last 48 hours' }).click();
    await dialog.getByText('No request would have been refused.').waitFor();
    await limit.getByLabel('Requests').fill('1');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Replay the last 48 hours' }).click();
    await page.getByText('would have refused 4 of 5 requests').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it('is on the page of a customer or key with a limit in shadow mode', async () => {
    for (const [path, refused] of [
      ['/customers/trial', 2],
      [`/keys/${trialId}`, 1],
    ]) {
      const page = await open(`${path}`);
      await page.getByRole('button', { name: 'Replay the last 48 hours' }).click();
      await page.getByText(`would have refused ${refused} of 5 requests`).waitFor();
      expect(await axeViolations(page)).toEqual([]);
    }
  });
});

it('plans have a page that shows changes in words', async () => {
  const { client } = dashboard.test;
  const { id } = await createPlan('Changing', { limits: [day] });
  await client.patch(`/plans/${id}`, { limits: [{ ...day, rateLimit: 250, per: 'customer' }] });
  const page = await open(`/plans/${id}`);
  const history = page.getByRole('region', { name: 'History' });
  await history.getByText('day: 100 requests per day').waitFor();
  await history.getByText('→ day: 250 requests per day, shared by all keys').waitFor();
});

it('plans can be read by viewers, without buttons to change them', async () => {
  const { id } = await createPlan('Seen', { limits: [day] });
  const page = await open(`/plans/${id}`, { role: 'viewer' });
  await page.getByText('100 requests per day').waitFor();
  await page.getByRole('button', { name: 'View only' }).waitFor();
  expect(await page.getByRole('button', { name: 'Edit', exact: true }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
});

it('plans that do not exist are explained', async () => {
  const page = await open('/plans/pln_01jz5n8w3e7xjz5n8w3e7xjz5n');
  await page.getByRole('link', { name: 'View all plans' }).waitFor();
});
