import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolations, type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard?.close());

it('creates credentials in place, fills in the commands, and checks off completed steps', async () => {
  const { client, projectId, url } = dashboard.test;
  const { page, failures } = await dashboard.open(`/p/${projectId}/quick-start`);
  const step = (name: string) => page.getByRole('listitem', { name });
  await page.getByText('0 of 5 steps complete').waitFor();
  expect(await axeViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Create access key' }).click();
  const accessKey = await step('Get an access key').locator('[data-secret]').textContent();
  await page.getByRole('button', { name: 'Or create it here' }).click();
  const key = await step('Create a key').locator('[data-secret]').textContent();
  const command = await step('Validate it').locator('pre').textContent();
  expect(command).toContain(`x-api-key: ${accessKey}`);
  expect(command).toContain(`{"key":"${key}"}`);
  for (const language of ['TypeScript', 'Python', 'Go']) {
    await step('Validate it').getByRole('tab', { name: language }).click();
    const code = step('Validate it').locator('pre');
    await expect.poll(() => code.textContent()).toContain(key);
    expect(await code.textContent()).toContain(accessKey);
  }
  expect(await axeViolations(page)).toEqual([]);

  const response = await client.as(accessKey).post('/api-keys/auth', { key });
  expect(response.status).toBe(200);
  await page.getByRole('heading', { name: 'Validate it (done)' }).waitFor();

  // A warning protects values that were not copied.
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('dialog', { name: /Leave without copying/ }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await step('Get an access key').getByRole('button', { name: 'Done' }).click();
  await step('Create a key').getByRole('button', { name: 'Done' }).click();

  // Leaving the page removes the values.
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const stored = await page.evaluate(
    'document.documentElement.outerHTML + JSON.stringify([localStorage, sessionStorage, history.state])',
  );
  expect(stored).not.toContain(accessKey);
  expect(stored).not.toContain(key);
  await expect.poll(() => page.url()).toContain(url);
  expect(failures).toEqual([]);
});

it('offers a viewer no action that would be rejected', async () => {
  const path = `/p/${dashboard.test.projectId}/quick-start`;
  const { page } = await dashboard.open(path, { role: 'viewer' });
  await page.getByText(/\d of 5 steps complete/).waitFor();
  await expect
    .poll(() =>
      page.getByRole('button', { name: /^(Create access key|Or create it here)$/ }).count(),
    )
    .toBe(0);
  expect(await axeViolations(page)).toEqual([]);
});
