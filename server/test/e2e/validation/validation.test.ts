import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateValue } from '../../../src/kernel/secrets/key-values.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const create = async (body: object = {}) =>
  (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...body })).body;
const validate = (key: string, origin?: string) =>
  test.client.post(
    `/api-keys/auth/${key}`,
    undefined,
    origin === undefined ? {} : { 'x-origin-domain': origin },
  );

describe('a valid key', () => {
  it('returns its record: twelve fields of theauthapi, and three additional ones', async () => {
    const { key } = await create();
    const { status, body, headers } = await validate(key);
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(
      [
        ...['key', 'name', 'customMetaData', 'customAccountId', 'customUserId', 'env'],
        ...['createdAt', 'updatedAt', 'isActive', 'expiresAt', 'rateLimitConfigs'],
        ...['creationContext', 'id', 'projectId', 'allowedDomains'],
      ].toSorted(),
    );
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('returns the same response whether it was cached or not', async () => {
    const { key } = await create({ customMetaData: { word: 'Grüße ✓' } });
    const [first, second] = [await validate(key), await validate(key)];
    expect(second.text).toBe(first.text);
    expect(second.body.customMetaData.word).toBe('Grüße ✓');
  });
});

describe('an invalid key', () => {
  const malformed = `${generateValue('live_').slice(0, -6)}000000`;
  it.each([
    ['never issued', generateValue('live_'), 'key_not_found'],
    ['custom, never issued', 'some-other-value', 'key_not_found'],
    ['with a wrong checksum', malformed, 'key_malformed'],
    ['too short', 'short', 'key_malformed'],
    ['too long', 'x'.repeat(257), 'key_malformed'],
    ['with invalid characters', 'with%20a%20space', 'key_malformed'],
    ['with an encoded slash', 'with%2Fa%2Fslash', 'key_malformed'],
    ['an access key', () => test.accessKey, 'key_not_found'],
  ])('gets the 404 of theauthapi: %s', async (_, value, code) => {
    const { status, body } = await validate(typeof value === 'string' ? value : value());
    expect(status).toBe(404);
    expect(body).toEqual({
      statusCode: 404,
      message: 'Invalid client key',
      error: 'Not Found',
      code,
      docs: `https://keyward.example/docs/errors/${code}`,
      requestId: expect.stringMatching(/^req_/),
    });
  });

  it('of another project is unknown to a project-level access key', async () => {
    const { body: project } = await test.client.post('/projects', { name: 'Beside' });
    const { body: access } = await test.client.post('/access-keys', {
      name: 'Beside',
      projectId: project.id,
    });
    const { key } = await create();
    expect((await validate(key)).status).toBe(200);
    const seen = await test.client.as(access.key).post(`/api-keys/auth/${key}`);
    expect([seen.status, seen.body.code]).toEqual([404, 'key_not_found']);
  });
});

describe('expiry', () => {
  it('is exact to the millisecond', async () => {
    const { key } = await create({ expiry: new Date(test.clock.now + 1000).toISOString() });
    test.clock.now += 999;
    expect((await validate(key)).status).toBe(200);
    test.clock.now += 1;
    expect((await validate(key)).body.code).toBe('key_expired');
  });
});

describe('allowedDomains', () => {
  const CASES: readonly (readonly [origin: string | undefined, allowed: boolean])[] = [
    ['app.example.com', true],
    ['APP.Example.COM', true],
    ['app.example.com:8443', true],
    ['app.example.com.', true],
    ['a.example.org', true],
    ['a.b.example.org', true],
    [undefined, false],
    ['', false],
    ['example.org', false],
    ['.example.org', false],
    ['example.com', false],
    ['sub.app.example.com', false],
    ['app.example.com.evil.test', false],
    ['evilexample.org', false],
    ['https://app.example.com', true],
    ['app.example.com/path', true],
    ['user@app.example.com', false],
    ['app.example.com, other.test', false],
  ];

  it.each(CASES)('from %s: allowed %s', async (origin, allowed) => {
    const { key } = await create({ allowedDomains: ['app.example.com', '*.example.org'] });
    const response = await validate(key, origin);
    expect(response.status).toBe(allowed ? 200 : 403);
    if (allowed) return;
    expect(response.body).toMatchObject({ statusCode: 403, code: 'domain_denied' });
    expect(response.text).not.toContain('example.org');
  });

  it('a key without them is valid from anywhere', async () => {
    const { key } = await create();
    expect((await validate(key, 'anywhere.test')).status).toBe(200);
    expect((await validate(key)).status).toBe(200);
  });
});

describe('order of the checks', () => {
  it('is access key, project, revoked, expired, domain, rate limit; only the last consumes', async () => {
    const { body: project } = await test.client.post('/projects', { name: 'Ordered' });
    const { id, key } = await create({
      projectId: project.id,
      expiry: new Date(test.clock.now + 1000).toISOString(),
      allowedDomains: ['example.com'],
      rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 3600 },
    });
    const code = async (origin?: string) => (await validate(key, origin)).body.code;
    expect((await validate(key, 'example.com')).headers.get('ratelimit-consumed')).toBe('1');
    expect(await code('example.com')).toBe('rate_limited');
    expect(await code()).toBe('domain_denied');
    test.clock.now += 1000;
    expect(await code()).toBe('key_expired');
    await test.client.delete(`/api-keys/${id}`);
    expect(await code()).toBe('key_revoked');
    await test.client.delete(`/projects/${project.id}`);
    expect(await code()).toBe('key_project_inactive');
    expect((await test.client.as('unknown-access-key').post(`/api-keys/auth/${key}`)).status).toBe(
      401,
    );

    await test.client.patch(`/projects/${project.id}/reactivate`);
    expect(await code()).toBe('key_revoked');
    await test.client.patch(`/api-keys/${id}/reactivate`);
    expect(await code()).toBe('key_expired');
    await test.client.patch(`/api-keys/${id}`, {
      name: 'Key',
      expiry: null,
      rateLimitConfigs: { rateLimit: 2, rateLimitTtl: 3600 },
    });
    const last = await validate(key, 'example.com');
    expect([last.status, last.headers.get('ratelimit-consumed')]).toEqual([200, '2']);
  });

  it('a validation of a revoked key has no rate-limit headers', async () => {
    const { id, key } = await create({ rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 60 } });
    await test.client.delete(`/api-keys/${id}`);
    const { headers } = await validate(key);
    expect([...headers.keys()].filter((name) => /ratelimit|retry/.test(name))).toEqual([]);
  });
});
