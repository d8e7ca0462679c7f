import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
  const { client, accountId } = dashboard.test;
  await client.post('/projects', { name: 'Sandbox', env: 'test', accountId });
});
afterAll(() => dashboard?.close());

it('shows an error of the server at its field, which has the focus, until it is corrected', async () => {
  const { page } = await dashboard.open(`/p/${dashboard.test.projectId}/keys?create=true`);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Acme');
  const domains = dialog.getByRole('textbox', { name: 'Allowed domains' });
  await domains.fill('http://app.example.com/path');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const error = dialog.getByText('Enter domains such as app.example.com');
  await error.waitFor();
  await expect.poll(() => domains.evaluate((field) => field.matches(':focus'))).toBe(true);
  expect(await domains.getAttribute('aria-invalid')).toBe('true');
  await domains.fill('app.example.com');
  await error.waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.locator('[data-secret]').waitFor();
});

it('moves the focus to an invalid field before anything is sent', async () => {
  const { page } = await dashboard.open(`/p/${dashboard.test.projectId}/keys?create=true`);
  const dialog = page.getByRole('dialog');
  const name = dialog.getByRole('textbox', { name: 'Name' });
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByText('Enter a name.').waitFor();
  await expect.poll(() => name.evaluate((field) => field.matches(':focus'))).toBe(true);
  await name.fill('Acme');
  await dialog.getByText('Enter a name.').waitFor({ state: 'detached' });
});

it('stays open on a click beside a form', async () => {
  const { page } = await dashboard.open(`/a/${dashboard.test.accountId}/projects`);
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'Create project' });
  const name = dialog.getByRole('textbox', { name: 'Name' });
  await name.fill('Shop');
  await page.mouse.click(5, 5);
  expect(await name.inputValue()).toBe('Shop');
  expect(await dialog.getByText('Discard your changes?').count()).toBe(0);
});

it('does not send an empty password', async () => {
  const { page } = await dashboard.open('/settings');
  await page.getByRole('button', { name: 'Turn on…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('Enter your password.').waitFor();
  const password = dialog.getByLabel('Your password', { exact: true });
  await expect.poll(() => password.evaluate((field) => field.matches(':focus'))).toBe(true);
});

it('shows the error at the projects field if none is selected', async () => {
  const { page } = await dashboard.open(`/a/${dashboard.test.accountId}/team`);
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email addresses').fill('grace@example.com');
  await dialog.getByLabel('All projects').uncheck();
  await dialog.getByRole('button', { name: 'Invite' }).click();
  const projects = dialog.getByRole('group', { name: 'Projects' });
  await projects.getByText('Select at least one project.').waitFor();
  await projects.getByLabel('Sandbox (test)').check();
  await projects.getByText('Select at least one project.').waitFor({ state: 'detached' });
});

it('asks before a key is reactivated', async () => {
  const { client, projectId } = dashboard.test;
  const { body } = await client.post('/api-keys', { name: 'Globex', projectId });
  await client.delete(`/api-keys/${body.id}`);
  const { page } = await dashboard.open(`/p/${projectId}/keys/${body.id}`);
  await page.getByRole('button', { name: 'Reactivate…' }).click();
  await page.getByRole('dialog', { name: 'Reactivate “Globex”?' }).waitFor();
  expect((await client.get(`/api-keys/${body.id}`)).body.isActive).toBe(false);
  await page.getByRole('button', { name: 'Reactivate key' }).click();
  await page.getByText('This key is revoked').waitFor({ state: 'detached' });
  expect((await client.get(`/api-keys/${body.id}`)).body.isActive).toBe(true);
});

it('asks before a key is reactivated from its row', async () => {
  const { client, projectId } = dashboard.test;
  const { body } = await client.post('/api-keys', { name: 'Umbrella', projectId });
  await client.delete(`/api-keys/${body.id}`);
  const { page } = await dashboard.open(`/p/${projectId}/keys`);
  await page.getByRole('button', { name: 'Actions for Umbrella' }).click();
  await page.getByRole('menuitem', { name: 'Reactivate…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reactivate “Umbrella”?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await client.get(`/api-keys/${body.id}`)).body.isActive).toBe(false);
});

it('tells a viewer that the other environment has no project', async () => {
  const { client, projectId } = dashboard.test;
  const { body } = await client.get('/projects');
  for (const { id, env } of body) if (env === 'test') await client.delete(`/projects/${id}`);
  const { page } = await dashboard.open(`/p/${projectId}`, { role: 'viewer' });
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByRole('region', { name: 'Messages' }).getByText('no test project').waitFor();
  expect(page.url()).toContain(projectId);
});

it('uses the dashboard layout for an unknown URL', async () => {
  const { page } = await dashboard.open('/nowhere/at/all', { role: null });
  await page.getByRole('link', { name: 'Go to overview' }).waitFor();
  const main = page.getByRole('main');
  const left = await main.evaluate((element) => element.getBoundingClientRect().left);
  expect(left).toBeGreaterThan(100);
});

it('explains how to fix an incomplete setup link', async () => {
  const { page } = await dashboard.open('/setup#token=x', { role: null });
  await page.getByText('Copy the full link that Keyward printed.').waitFor();
});

it('says that the session has ended', async () => {
  const { page } = await dashboard.open('/settings');
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'Team' }).click();
  await page.getByText('Your session has ended').waitFor();
});
