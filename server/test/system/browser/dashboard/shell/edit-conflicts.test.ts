import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { png } from '../../../../harness/png.ts';
import { axeViolations, type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard?.close());

interface Edited {
  readonly kind: string;
  readonly api: string;
  create(projectId: string): object;
  /** Opens the form of the item named Initech. */
  openForm(page: Page, id: string): Promise<void>;
}

async function openFromMenu(page: Page, item: string) {
  await page.getByRole('button', { name: 'Actions for Initech' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

const EDITED: readonly Edited[] = [
  {
    kind: 'key',
    api: '/api-keys',
    create: (projectId) => ({ name: 'Initech', projectId }),
    async openForm(page, id) {
      await page.goto(`${page.url()}/keys/${id}`);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
    },
  },
  {
    kind: 'plan',
    api: '/plans',
    create: (projectId) => ({ name: 'Initech', projectId }),
    async openForm(page, id) {
      await page.goto(`${page.url()}/plans/${id}`);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
    },
  },
  {
    kind: 'customer',
    api: '/customers',
    create: (projectId) => ({ name: 'Initech', customAccountId: 'initech', projectId }),
    async openForm(page) {
      await page.goto(`${page.url()}/customers/initech`);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
    },
  },
  {
    kind: 'access key',
    api: '/access-keys',
    create: (projectId) => ({ name: 'Initech', projectId, scopes: ['keys:validate'] }),
    async openForm(page) {
      await page.getByRole('link', { name: 'Access keys' }).click();
      await openFromMenu(page, 'Edit…');
    },
  },
  {
    kind: 'webhook',
    api: '/webhooks',
    create: (projectId) => ({
      name: 'Initech',
      projectId,
      url: 'https://hooks.example.com',
      topics: ['api-key.deleted'],
    }),
    async openForm(page, id) {
      await page.goto(`${page.url()}/webhooks/${id}`);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
    },
  },
  {
    kind: 'project',
    api: '/projects',
    create: () => ({ name: 'Initech', accountId: dashboard.test.accountId }),
    async openForm(page) {
      await page.getByRole('link', { name: 'Projects' }).click();
      await openFromMenu(page, 'Edit…');
    },
  },
];

it.each(EDITED)(
  'shows both values if a $kind was changed by another user',
  async ({ api, ...edited }) => {
    const { client, projectId } = dashboard.test;
    const { body } = await client.post(api, edited.create(projectId));
    const { page, failures } = await dashboard.open(`/p/${projectId}`);
    await edited.openForm(page, body.id);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Name( *optional)?$/).fill('Initech, mine');
    const theirs = await client.patch(`${api}/${body.id}`, { name: 'Initech, theirs' });
    expect(theirs.status, theirs.text).toBe(200);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('Name: now “Initech, theirs”, yours “Initech, mine”').waitFor();
    expect((await client.get(`${api}/${body.id}`)).body.name).toBe('Initech, theirs');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save anyway' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await client.get(`${api}/${body.id}`)).body.name).toBe('Initech, mine');
    expect(failures).toEqual([]);
  },
);

it('keeps the logo of another user when portal settings are saved anyway', async () => {
  const { client, accountId } = dashboard.test;
  const { body } = await client.post('/projects', { name: 'Branded', accountId });
  const api = `/projects/${body.id}`;
  const setLogo = (size: number, fields: object = {}) => {
    const logo = png(size).toString('base64');
    return client.patch(api, { name: 'Branded', branding: { logo, ...fields } });
  };
  await setLogo(16);
  const { page } = await dashboard.open(`/a/${accountId}/projects`);
  await page.getByRole('button', { name: 'Actions for Branded' }).click();
  await page.getByRole('menuitem', { name: 'Customer portal…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Mine');
  const theirs = (await setLogo(17, { name: 'Theirs', accentColor: '#0b6e4f' })).body.branding;
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByText('now “Theirs”, yours “Mine”').waitFor();
  await dialog.getByRole('button', { name: 'Save anyway' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await client.get(api)).body.branding).toEqual({ ...theirs, name: 'Mine' });
});

it('keeps a change of another user to another field', async () => {
  const { client, projectId } = dashboard.test;
  const hook = {
    name: 'Portal',
    projectId,
    url: 'https://a.example.com',
    topics: ['api-key.deleted'],
  };
  const { body } = await client.post('/webhooks', hook);
  const { page } = await dashboard.open(`/p/${projectId}/webhooks/${body.id}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Customer portal');
  await client.patch(`/webhooks/${body.id}`, { url: 'https://b.example.com' });
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const saved = (await client.get(`/webhooks/${body.id}`)).body;
  expect(saved).toMatchObject({ name: 'Customer portal', url: 'https://b.example.com' });
});
