import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createMember } from '../../../../harness/member.ts';
import { createTestPerson } from '../../../../harness/test-person.ts';
import {
  axeViolations,
  type DashboardBrowser,
  type DashboardPage,
  startDashboard,
} from '../dashboard-browser.ts';
import { pressOn, typeInto } from '../keyboard.ts';

const SESSION = '__Host-keyward.session_token';
const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'a long way from home' };

/** One browser and one authenticator for all tests. Each test continues where the previous one ended. */
let dashboard: DashboardBrowser;
let opened: DashboardPage;
let page: Page;
let authenticator: { setVerified(isVerified: boolean): Promise<unknown> };

beforeAll(async () => {
  dashboard = await startDashboard({ isLocal: true });
  const ada = createTestPerson(dashboard.test.url);
  await ada.post(
    '/auth/setup',
    { token: dashboard.test.setupToken, ...ADA },
    { origin: dashboard.test.url },
  );
  opened = await dashboard.open('/settings', { cookies: ada.cookies, isKept: true });
  page = opened.page;
  authenticator = await addAuthenticator(page);
});
afterAll(() => dashboard?.close());

afterEach(() => {
  expect(opened.failures).toEqual([]);
  expect(opened.foreignRequests).toEqual([]);
});

/** Chromium's virtual authenticator. By default it verifies the user, as a phone or laptop does. */
async function addAuthenticator(on: Page, hasUserVerification = true) {
  const devTools = await on.context().newCDPSession(on);
  await devTools.send('WebAuthn.enable');
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification,
      isUserVerified: hasUserVerification,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setVerified: (isUserVerified: boolean) =>
      devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

/** Moves the last sign-in ten minutes back, and removes the last confirmation. */
const ageSessions = () =>
  dashboard.test.storage.transaction((tx) =>
    sql`update sessions set created_at = created_at - 600000, confirmed_at = null`.execute(tx),
  );

const confirmation = () => page.getByRole('dialog', { name: 'Confirm that it’s you' });

const card = () => page.getByRole('region', { name: 'Passkeys' });
const dialog = () => page.getByRole('dialog');
const message = (text: string) => page.getByRole('region', { name: 'Messages' }).getByText(text);

interface Posted {
  readonly options: object;
  readonly reply: object;
}

/** Posts JSON from the page. */
const POST = `const post = async (path, body) => (await fetch(path, {
  method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
})).json();`;

/** Asks the browser for a passkey, without the page, and posts the response. */
const postPasskey = (path: string, changes: object = {}) =>
  page.evaluate<Posted>(`(async () => {
    ${POST}
    const options = await post('/auth/sign-in/passkey/options', {});
    const changed = { ...options, ...${JSON.stringify(changes)} };
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(changed);
    const credential = await navigator.credentials.get({ publicKey });
    return { options, reply: await post('${path}', { response: credential.toJSON() }) };
  })()`);

async function signOut() {
  await page.getByRole('button', { name: 'User menu: Ada Lovelace' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

it('a passkey is not added until a user who signed in a while ago confirms their identity', async () => {
  await ageSessions();
  await page.getByText('No passkeys yet.').waitFor();
  await pressOn(page, card().getByRole('button', { name: 'Add' }));
  await typeInto(page, dialog().getByLabel('Name'), 'Laptop');
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await confirmation().waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(await confirmation().getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
  await typeInto(page, confirmation().getByLabel('Your password'), 'not my password');
  await page.keyboard.press('Enter');
  await confirmation().getByText('The password is wrong.').waitFor();
  await page.keyboard.press('Escape');
  await confirmation().waitFor({ state: 'detached' });
  await dialog().getByText('Confirm that it’s you first.').waitFor();
});

it('a passkey is added by keyboard, with a name, after the confirmation', async () => {
  await pressOn(page, dialog().getByRole('button', { name: 'Continue' }));
  await typeInto(page, confirmation().getByLabel('Your password'), ADA.password);
  await page.keyboard.press('Enter');
  await message('Passkey added.').waitFor();
  await card().getByText('Laptop').waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

it('a passkey is not added twice to the same device, and the page explains it', async () => {
  await pressOn(page, card().getByRole('button', { name: 'Add' }));
  await typeInto(page, dialog().getByLabel('Name'), 'Again');
  await page.keyboard.press('Enter');
  await dialog().getByText('This device already has a passkey for your user.').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => card().getByRole('listitem').count()).toBe(1);
});

it('a passkey is not added by a device that does not verify the user', async () => {
  const other = await page.context().newPage();
  await addAuthenticator(other, false);
  await other.goto(page.url());
  const { options, reply } = await other.evaluate<Posted>(`(async () => {
    ${POST}
    const options = await post('/auth/passkeys/options', {});
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
      ...options,
      authenticatorSelection: { userVerification: 'discouraged' },
    });
    const credential = await navigator.credentials.create({ publicKey });
    const response = credential.toJSON();
    return { options, reply: await post('/auth/passkeys', { name: 'No PIN', response }) };
  })()`);
  expect(reply).toMatchObject({ code: 'passkey_failed' });
  expect(options).toMatchObject({
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await other.close();
});

it('a passkey neither signs in nor confirms if the device does not verify the user', async () => {
  const unverified = { userVerification: 'discouraged' };
  expect(await postPasskey('/auth/confirm', unverified)).toMatchObject({
    options: { userVerification: 'required' },
    reply: { code: 'passkey_failed' },
  });
  await signOut();
  const { reply } = await postPasskey('/auth/sign-in/passkey', unverified);
  expect(reply).toMatchObject({ code: 'passkey_failed' });
  expect((await page.context().cookies()).map(({ name }) => name)).not.toContain(SESSION);
});

it('a passkey signs in without a password, to the requested page', async () => {
  await page.goto(`${new URL(page.url()).origin}/dashboard/p/${dashboard.test.projectId}/webhooks`);
  await pressOn(page, page.getByRole('button', { name: 'Sign in with a passkey' }));
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  expect((await page.context().cookies()).map(({ name }) => name)).toContain(SESSION);
});

it('the page explains what to do if the device rejects the user', async () => {
  await signOut();
  await authenticator.setVerified(false);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('alert').getByText('Try again.').waitFor();
  await expect.poll(() => page.getByRole('heading', { name: 'Sign in' }).count()).toBe(1);
  await authenticator.setVerified(true);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});

it('a passkey can be renamed', async () => {
  await page.goto(`${new URL(page.url()).origin}/dashboard/settings`);
  await pressOn(page, card().getByRole('button', { name: 'Rename Laptop' }));
  await typeInto(page, dialog().getByLabel('Name'), 'Work laptop');
  await page.keyboard.press('Enter');
  await card().getByText('Work laptop').waitFor();
  await dialog().waitFor({ state: 'detached' });
  await page.reload();
  await card().getByText('Work laptop').waitFor();
});

it('a passkey does not confirm the identity of another user', async () => {
  const membership = { accountId: dashboard.test.accountId, role: 'viewer' as const };
  const grace = await createMember(dashboard.test, [membership], Date.now());
  const cookies = await page.context().cookies();
  const [own] = cookies.filter(({ name }) => name === SESSION);
  await page.context().addCookies([{ ...own!, value: grace.cookies.get(SESSION)! }]);
  // Grace has no passkey, so the browser offers Ada's.
  const { reply } = await postPasskey('/auth/confirm');
  expect(reply).toMatchObject({
    code: 'passkey_failed',
    message: 'This passkey belongs to another user.',
  });
  expect((await page.context().cookies()).find(({ name }) => name === SESSION)?.value).toBe(
    grace.cookies.get(SESSION),
  );
  await page.context().addCookies([own!]);
});

it('a passkey confirms its own removal', async () => {
  await ageSessions();
  await page.reload();
  await pressOn(page, card().getByRole('button', { name: 'Remove Work laptop' }));
  await pressOn(page, dialog().getByRole('button', { name: 'Remove', exact: true }));
  await confirmation().waitFor();
  expect(await axeViolations(page)).toEqual([]);
  const before = await page.context().cookies();
  await pressOn(page, confirmation().getByRole('button', { name: 'Use a passkey' }));
  await page.getByText('No passkeys yet.').waitFor();
  const session = (cookies: typeof before) => cookies.find(({ name }) => name === SESSION)?.value;
  expect(session(await page.context().cookies())).toBe(session(before));
});

it('a passkey no longer signs in once it is removed', async () => {
  await page.getByText('No passkeys yet.').waitFor();
  await signOut();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('alert').waitFor();
  await expect.poll(() => page.getByRole('heading', { name: 'Sign in' }).count()).toBe(1);
});
