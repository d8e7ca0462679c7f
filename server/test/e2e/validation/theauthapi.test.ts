import { createRequire } from 'node:module';
import type theauthapi from 'theauthapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { START, startTestApp, type TestApp } from '../../harness/test-app.ts';

/**
 * The npm package of theauthapi, unchanged except for its host. It configures its
 * retries on the axios module that all instances share, so only the last test creates an instance
 * with retries.
 */
const { default: TheAuthAPI }: typeof theauthapi = createRequire(import.meta.url)('theauthapi');

let test: TestApp;
let client: InstanceType<typeof TheAuthAPI>;

beforeAll(async () => {
  test = await startTestApp();
  client = new TheAuthAPI(test.accessKey, { host: test.url, retryCount: 0 });
});
afterAll(() => test.close());

const refusal = (statusCode: number, message: string) => ({
  name: 'ApiResponseError',
  statusCode,
  message: `(${statusCode}): ${message}`,
});

describe('apiKeys', () => {
  it('createKey returns the full value, once, with dates as Date objects', async () => {
    const expiry = new Date(START + 86_400_000);
    const made = await client.apiKeys.createKey({
      name: 'First',
      projectId: test.projectId,
      customMetaData: { plan: 'pro', since: '2029-01-01T00:00:00.000Z' },
      customAccountId: 'customer-1',
      customUserId: 'user-1',
      rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 60 },
      expiry,
    });
    expect(made).toMatchObject({
      name: 'First',
      customAccountId: 'customer-1',
      customUserId: 'user-1',
      env: 'live',
      isActive: true,
      rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 60 },
      expiresAt: expiry,
      createdAt: new Date(START),
      updatedAt: new Date(START),
    });
    expect(made.key).toMatch(/^live_[0-9A-Za-z]{49}$/);
    const read = await client.apiKeys.getKey(made.key);
    expect(read.key).toBe(`${made.key.slice(0, 11)}*********`);
    expect(read).toEqual({ ...made, key: read.key });
  });

  it('authenticateKey and isValidKey accept the value', async () => {
    const { key } = await client.apiKeys.createKey({ name: 'Valid' });
    const record = await client.apiKeys.authenticateKey(key);
    expect(record).toMatchObject({ name: 'Valid', isActive: true, createdAt: new Date(START) });
    expect(record.key).not.toBe(key);
    expect(await client.apiKeys.isValidKey(key)).toBe(true);
  });

  it('isValidKey is false for every kind of 404', async () => {
    const { key } = await client.apiKeys.createKey({ name: 'Revoked' });
    await client.apiKeys.deleteKey(key);
    expect(await client.apiKeys.isValidKey(key)).toBe(false);
    expect(await client.apiKeys.isValidKey('never-issued-value')).toBe(false);
    expect(await client.apiKeys.isValidKey('x')).toBe(false);
    await expect(client.apiKeys.authenticateKey(key)).rejects.toMatchObject(
      refusal(404, 'Invalid client key'),
    );
  });

  it('createKey accepts a custom value, and returns 409 the second time', async () => {
    const made = await client.apiKeys.createKey({ name: 'Own', key: 'our-own-value-1' });
    expect(made.key).toBe('our-own-value-1');
    expect(await client.apiKeys.isValidKey('our-own-value-1')).toBe(true);
    await expect(
      client.apiKeys.createKey({ name: 'Again', key: 'our-own-value-1' }),
    ).rejects.toMatchObject(refusal(409, 'This account already has a key with this value.'));
  });

  it('updateKey changes the given fields and clears with null', async () => {
    const { key } = await client.apiKeys.createKey({
      name: 'Before',
      customAccountId: 'kept',
      customMetaData: { a: 1 },
      expiry: new Date(START + 1000),
      rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 1 },
    });
    const updated = await client.apiKeys.updateKey(key, {
      name: 'After',
      customMetaData: { b: 2 },
      expiry: null,
      rateLimitConfigs: null,
    });
    expect(updated).toMatchObject({
      name: 'After',
      customAccountId: 'kept',
      customMetaData: { b: 2 },
      expiresAt: null,
      rateLimitConfigs: null,
    });
    expect(updated.customMetaData).not.toHaveProperty('a');
    const moved = await client.apiKeys.updateKey(key, {
      name: 'After',
      expiry: new Date(START + 5000),
    });
    expect(moved).toMatchObject({ expiresAt: new Date(START + 5000) });
  });

  it('deleteKey returns true, reactivateKey the record', async () => {
    const { key } = await client.apiKeys.createKey({ name: 'Comes back' });
    expect(await client.apiKeys.deleteKey(key)).toBe(true);
    expect(await client.apiKeys.getKey(key)).toMatchObject({ isActive: false });
    expect(await client.apiKeys.reactivateKey(key)).toMatchObject({ isActive: true });
    expect(await client.apiKeys.isValidKey(key)).toBe(true);
  });

  it('getKeys lists all, newest first, and filters', async () => {
    const filtered = { customAccountId: 'filtered' };
    await client.apiKeys.createKey({ name: 'F1', ...filtered });
    const second = await client.apiKeys.createKey({ name: 'F2', ...filtered, customUserId: 'u' });
    await client.apiKeys.deleteKey(second.key);
    const names = async (filter?: Parameters<typeof client.apiKeys.getKeys>[0]) =>
      (await client.apiKeys.getKeys(filter)).map(({ name }) => name);
    expect((await names()).slice(0, 2)).toEqual(['F2', 'F1']);
    expect(await names(filtered)).toEqual(['F2', 'F1']);
    expect(await names({ ...filtered, isActive: true })).toEqual(['F1']);
    expect(await names({ ...filtered, isActive: false })).toEqual(['F2']);
    expect(await names({ ...filtered, customUserId: null })).toEqual(['F1']);
    expect(await names({ ...filtered, customUserId: 'u' })).toEqual(['F2']);
    expect(await names({ name: 'F1', projectId: test.projectId })).toEqual(['F1']);
    const withoutAccount = await client.apiKeys.getKeys({ customAccountId: null });
    expect(withoutAccount.length).toBeGreaterThan(0);
    expect(withoutAccount.every((key) => key.customAccountId === null)).toBe(true);
    expect(withoutAccount[0]!.createdAt).toBeInstanceOf(Date);
  });

  it('an unknown key is a 404 for getKey, updateKey, deleteKey and reactivateKey', async () => {
    const unknown = refusal(404, 'Invalid client key');
    await expect(client.apiKeys.getKey('not-a-known-key')).rejects.toMatchObject(unknown);
    await expect(client.apiKeys.updateKey('not-a-known-key', { name: 'x' })).rejects.toMatchObject(
      unknown,
    );
    await expect(client.apiKeys.deleteKey('not-a-known-key')).rejects.toMatchObject(unknown);
    await expect(client.apiKeys.reactivateKey('not-a-known-key')).rejects.toMatchObject(unknown);
  });

  it('a bad body is a 400 that names the field', async () => {
    await expect(client.apiKeys.createKey({ name: '' })).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('name'),
    });
  });

  it('isValidKey does not treat a 429 as an invalid key', async () => {
    const { key } = await client.apiKeys.createKey({
      name: 'Limited',
      rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 60 },
    });
    expect(await client.apiKeys.isValidKey(key)).toBe(true);
    const limited = refusal(429, 'Too many requests');
    await expect(client.apiKeys.isValidKey(key)).rejects.toMatchObject(limited);
    await expect(client.apiKeys.authenticateKey(key)).rejects.toMatchObject(limited);
  });
});

describe('projects and accounts', () => {
  it('createProject, getProject, getProjects and updateProject', async () => {
    const made = await client.projects.createProject({
      name: 'Shop',
      accountId: test.accountId,
      env: 'test' as never,
    });
    expect(made).toMatchObject({
      name: 'Shop',
      accountId: test.accountId,
      env: 'test',
      isActive: true,
      createdByType: 'ACCESS_KEY',
      createdAt: new Date(START),
    });
    expect(await client.projects.getProject(made.id)).toEqual(made);
    expect((await client.projects.getProjects(test.accountId)).map(({ id }) => id)).toEqual([
      made.id,
      test.projectId,
    ]);
    const renamed = await client.projects.updateProject(made.id, { name: 'Shop 2' });
    expect(renamed).toMatchObject({ id: made.id, name: 'Shop 2', env: 'test' });
    const { key } = await client.apiKeys.createKey({ name: 'T', projectId: made.id });
    expect(key).toMatch(/^test_/);
  });

  it('deleteProject returns true and deactivates its keys', async () => {
    const project = await client.projects.createProject({
      name: 'Short',
      accountId: test.accountId,
      env: 'live' as never,
    });
    const { key } = await client.apiKeys.createKey({ name: 'Short', projectId: project.id });
    expect(await client.projects.deleteProject(project.id)).toBe(true);
    expect(await client.apiKeys.isValidKey(key)).toBe(false);
    expect(await client.projects.getProject(project.id)).toMatchObject({ isActive: false });
  });

  it('an unknown project or account is a 404', async () => {
    const noProject = refusal(404, 'There is no such project.');
    await expect(client.projects.getProject('prj_none')).rejects.toMatchObject(noProject);
    await expect(client.projects.deleteProject('prj_none')).rejects.toMatchObject(noProject);
    await expect(client.projects.updateProject('prj_none', { name: 'x' })).rejects.toMatchObject(
      noProject,
    );
    const noAccount = refusal(404, 'There is no such account.');
    await expect(client.projects.getProjects('acc_none')).rejects.toMatchObject(noAccount);
    await expect(client.accounts.getAccount('acc_none')).rejects.toMatchObject(noAccount);
  });

  it('getAccount returns the account', async () => {
    expect(await client.accounts.getAccount(test.accountId)).toMatchObject({
      id: test.accountId,
      name: 'Default account',
      isActive: true,
      createdByType: 'USER',
      createdAt: new Date(START),
    });
  });
});

describe('authenticateAPIKey, deprecated', () => {
  it('returns the record, which its callback gets as the first argument', async () => {
    const { key } = await client.apiKeys.createKey({ name: 'Old form', projectId: test.projectId });
    const calls: unknown[][] = [];
    const record = await client.authenticateAPIKey(key, (...args) => calls.push(args));
    expect(record).toMatchObject({ name: 'Old form', isActive: true });
    expect(JSON.stringify(record)).not.toContain(key);
    expect(calls).toHaveLength(1);
    expect(calls[0]![0]).toBe(record);
  });

  it('returns nothing for an unknown key, and calls its callback', async () => {
    const calls: unknown[][] = [];
    const record = await client.authenticateAPIKey('unknown-value', (...args) => calls.push(args));
    expect(record).toBeUndefined();
    expect(calls[0]![0]).toMatchObject(refusal(404, 'Invalid client key'));
  });
});

describe('errors', () => {
  it('a wrong access key is a 401', async () => {
    const unauthorized = new TheAuthAPI('unknown-access-key', { host: test.url, retryCount: 0 });
    await expect(unauthorized.apiKeys.getKeys()).rejects.toMatchObject(
      refusal(401, 'This access key is unknown.'),
    );
    await expect(unauthorized.apiKeys.isValidKey('whatever-value')).rejects.toMatchObject({
      statusCode: 401,
    });
  });

  it('an unreachable server is an ApiRequestError', async () => {
    const unreachable = new TheAuthAPI(test.accessKey, {
      host: 'http://127.0.0.1:1',
      retryCount: 0,
    });
    await expect(unreachable.apiKeys.getKeys()).rejects.toMatchObject({ name: 'ApiRequestError' });
  });

  it('a 429 is retried, and the retry is admitted by the next window', async () => {
    const { key } = await client.apiKeys.createKey({
      name: 'Retried',
      projectId: test.projectId,
      rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 60 },
    });
    const retrying = new TheAuthAPI(test.accessKey, { host: test.url, retryCount: 3 });
    expect(await retrying.apiKeys.isValidKey(key)).toBe(true);
    const limitedBefore = test.app.validator.outcomes.limited;
    const retried = retrying.apiKeys.isValidKey(key);
    while (test.app.validator.outcomes.limited === limitedBefore)
      await new Promise((resolve) => setTimeout(resolve, 5));
    test.clock.now += 60_000;
    expect(await retried).toBe(true);
  });
});
