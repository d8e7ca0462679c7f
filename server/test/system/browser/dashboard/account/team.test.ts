import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMember } from '../../../../harness/member.ts';
import { createTestPerson } from '../../../../harness/test-person.ts';
import { axeViolations, type DashboardBrowser, startDashboard } from '../dashboard-browser.ts';

let dashboard: DashboardBrowser;
let path: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  path = `/a/${dashboard.test.accountId}/team`;
  const { client, accountId } = dashboard.test;
  await client.post('/projects', { name: 'Sandbox', env: 'test', accountId });
});
afterAll(() => dashboard?.close());

it('invites with a link that is shown once, which adds the user who opens it', async () => {
  const { page, failures } = await dashboard.open(path);
  await page.getByText('No invitations').waitFor();
  await page.keyboard.press('c');
  await page.getByLabel('Email addresses').fill('grace@example.com, nobody');
  await page.getByRole('button', { name: 'Invite', exact: true }).last().click();
  await page.getByText('Not a valid email address: nobody').waitFor();
  await page.getByLabel('Email addresses').fill('Grace Hopper <grace@example.com>');
  await page.getByRole('radio', { name: /Viewer/ }).check();
  await page.getByLabel('Sandbox (test)').check();
  expect(await page.getByLabel('All projects').isChecked()).toBe(false);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Invite', exact: true }).last().click();
  const link = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('grid', { name: 'Invitations' }).getByText('grace@example.com').waitFor();
  expect(await page.evaluate('document.body.innerHTML')).not.toContain(new URL(link).hash);

  const { pathname, hash } = new URL(link);
  const guest = await dashboard.open(pathname.replace('/dashboard', '') + hash, { role: null });
  await guest.page.getByRole('heading', { name: 'Join Default account' }).waitFor();
  expect(guest.page.url()).not.toContain('token');
  expect(await axeViolations(guest.page)).toEqual([]);
  await guest.page.getByLabel('Your name').fill('Grace Hopper');
  await guest.page.getByLabel('Password', { exact: true }).fill('a ship in harbour is safe');
  await guest.page.getByRole('button', { name: 'Join' }).click();
  await guest.page.getByRole('heading', { name: 'Overview' }).waitFor();
  // The guest sees only this project, and one item to manage projects.
  await guest.page.getByRole('button', { name: 'Switch project. Current: Sandbox, test' }).click();
  await expect.poll(() => guest.page.getByRole('menuitem').count()).toBe(2);
  expect([failures, guest.failures]).toEqual([[], []]);
});

it('changes a role, and removes a teammate', async () => {
  const { page, failures } = await dashboard.open(path);
  await page.getByRole('grid', { name: 'Teammates' }).getByRole('row').nth(1).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  const { page: other } = await dashboard.open(path, { role: 'developer' });
  const menu = other.getByRole('button', { name: /^User menu/ });
  const name = ((await menu.getAttribute('aria-label')) ?? '').replace('User menu: ', '');
  await page.reload();
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Change role…' }).click();
  const chosen = page.getByRole('radio', { name: /Developer/ });
  await expect.poll(() => chosen.evaluate((radio) => radio.matches(':focus'))).toBe(true);
  await page.getByRole('radio', { name: /Viewer/ }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  const messages = page.getByRole('region', { name: 'Messages' });
  await messages.getByText('is now viewer').waitFor();
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await messages.getByText('was removed').waitFor();
  await other.goto(`${dashboard.test.url}/dashboard/`);
  await other.getByText('You are not a member of any account').waitFor();
  expect(failures).toEqual([]);
});

it('offers a viewer no action that would be rejected', async () => {
  const { page } = await dashboard.open(path, { role: 'viewer' });
  const teammates = page.getByRole('grid', { name: 'Teammates' });
  await teammates.getByRole('row').nth(1).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
  // Only the action to leave the account.
  await expect.poll(() => teammates.getByRole('button', { name: /^Actions/ }).count()).toBe(1);
});

it('an inviter whose role is limited to some projects can invite only to those', async () => {
  const { test } = dashboard;
  const sandbox = (await test.client.get('/projects')).body.find(
    ({ name }: { name: string }) => name === 'Sandbox',
  ).id;
  for (const projectIds of [[sandbox], [test.projectId, sandbox]]) {
    const memberships = [{ accountId: test.accountId, role: 'admin' as const, projectIds }];
    const { cookies } = await createMember(test, memberships, Date.now());
    const { page } = await dashboard.open(path, { cookies });
    await page.getByRole('button', { name: 'Invite', exact: true }).first().click();
    const email = `invited-to-${projectIds.length}@example.com`;
    await page.getByLabel('Email addresses').fill(email);
    expect(await page.getByLabel('All projects').count()).toBe(0);
    const choices = page.getByRole('group', { name: 'Projects' }).getByRole('checkbox');
    expect(await choices.count()).toBe(projectIds.length > 1 ? 2 : 0);
    await page.getByRole('button', { name: 'Invite', exact: true }).last().click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('grid', { name: 'Invitations' }).getByText(email).waitFor();
    const made = (await test.client.get('/invitations?status=pending')).body;
    const [invitation] = made.filter((each: { email: string }) => each.email === email);
    expect(invitation.projectIds).toEqual(projectIds);
  }
});

it('lets an existing user sign in first, and keeps the invitation', async () => {
  const { client, accountId } = dashboard.test;
  const role = { role: 'viewer', accountId };
  const first = await client.post('/invitations', { emails: ['joan@example.com'], ...role });
  const token = (link: string) => new URL(link).hash.slice(7);
  const joan = { name: 'Joan Clarke', password: 'enigma of hut eight' };
  const accepting = { token: token(first.body[0].link), ...joan };
  const before = createTestPerson(dashboard.test.url);
  const accepted = await before.post(`/invitations/${first.body[0].id}/accept`, accepting);
  expect(accepted.status, accepted.text).toBe(200);
  const members = await client.get('/teammates');
  const { id } = members.body.find(({ name }: { name: string }) => name === joan.name);
  await client.delete(`/users/${id}/roles`);
  const again = await client.post('/invitations', { emails: ['joan@example.com'], ...role });
  const { pathname, hash } = new URL(again.body[0].link);

  const { page } = await dashboard.open(pathname.replace('/dashboard', '') + hash, { role: null });
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill('joan@example.com');
  await page.getByLabel('Password', { exact: true }).fill(joan.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Join as Joan Clarke' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();

  const owner = await dashboard.open(path);
  await owner.page.getByRole('grid', { name: 'Teammates' }).getByText('joan@example.com').waitFor();
  const invitations = owner.page.getByRole('region', { name: 'Invitations' });
  await invitations.getByRole('heading').first().waitFor();
  expect(await invitations.textContent()).not.toContain('joan@example.com');
});

it('keeps the last sign-in of teammates whose session has ended', async () => {
  const { storage, client, accountId } = dashboard.test;
  const invited = { emails: ['mary@example.com'], role: 'viewer', accountId };
  const { body } = await client.post('/invitations', invited);
  const mary = { name: 'Mary Shelley', password: 'the modern prometheus' };
  const person = createTestPerson(dashboard.test.url);
  const token = new URL(body[0].link).hash.slice(7);
  await person.post(`/invitations/${body[0].id}/accept`, { token, ...mary });
  await person.post('/auth/sign-in', { email: 'mary@example.com', password: mary.password });
  await storage.transaction(async (tx) => {
    await tx.deleteFrom('sessions').execute();
  });
  const { page } = await dashboard.open(path);
  const row = page.getByRole('row', { name: /Mary Shelley/ });
  await expect.poll(() => row.textContent()).toMatch(/now|ago/);
  expect(await row.textContent()).not.toContain('Never');
});

it('shows an owner how to reset the password of a teammate without a mail server', async () => {
  const { page } = await dashboard.open(path);
  const joan = page.getByRole('button', { name: 'Actions for Joan Clarke' });
  await joan.click();
  await page.getByRole('menuitem', { name: 'Reset password…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reset the password of Joan Clarke' });
  await dialog.getByText('npx keyward people reset-password joan@example.com').waitFor();
  expect(await axeViolations(page)).toEqual([]);

  const admin = await dashboard.open(path, { role: 'admin' });
  await admin.page.getByRole('button', { name: 'Actions for Joan Clarke' }).click();
  await admin.page.getByRole('menuitem', { name: 'Remove…' }).waitFor();
  expect(await admin.page.getByRole('menuitem', { name: 'Reset password…' }).count()).toBe(0);
});
