import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const create = async (body: object = {}) =>
  (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...body })).body;

/** Verifies as a gateway does: its own key is in a header that its users cannot set. */
const verify = (headers: Record<string, string>, rest = '', method = 'GET') =>
  fetch(`${test.url}/gateway/verify${rest}`, {
    method,
    headers: { 'x-keyward-access-key': test.accessKey, ...headers },
    ...(method === 'POST' && { body: 'not JSON at all' }),
  });

describe('a valid key', () => {
  it('is described in headers, and completely in the body', async () => {
    const key = await create({
      name: 'Größe %\u2028',
      customAccountId: 'acct 7',
      customUserId: 'ülf',
      customMetaData: { plan: 'gold', note: 'a\r\nx-admin: 1', word: 'ß' },
    });
    const response = await verify({ 'x-keyward-key': key.key });
    expect(response.status).toBe(200);
    const keywardHeaders = Object.fromEntries(
      [...response.headers].filter(([name]) => name.startsWith('x-keyward-')),
    );
    expect(keywardHeaders).toEqual({
      'x-keyward-status': '200',
      'x-keyward-code': 'valid',
      'x-keyward-key-id': key.id,
      'x-keyward-project-id': test.projectId,
      'x-keyward-name': 'Gr%C3%B6%C3%9Fe %25%E2%80%A8',
      'x-keyward-env': 'live',
      'x-keyward-account-id': 'acct 7',
      'x-keyward-user-id': '%C3%BClf',
      'x-keyward-metadata': String.raw`{"plan":"gold","note":"a\r\nx-admin: 1","word":"\u00df"}`,
    });
    expect(response.headers.get('x-admin')).toBeNull();
    expect(response.headers.get('ratelimit-limit')).toBeNull();
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ id: key.id, customUserId: 'ülf' });
    expect(text).not.toContain(key.key);
  });

  it('has empty headers for unset fields and for metadata that is too long', async () => {
    const { key } = await create({ customMetaData: { long: 'x'.repeat(5_000) } });
    const { headers } = await verify({ 'x-keyward-key': key });
    expect(headers.get('x-keyward-metadata')).toBe('');
    expect(headers.get('x-keyward-metadata-omitted')).toBe('true');
    expect(headers.get('x-keyward-account-id')).toBe('');
  });

  it('is logged as a request at level debug; a rejected access key at level info', async () => {
    const { key } = await create();
    const levelOf = async (headers: Record<string, string>) => {
      const id = (await verify({ 'x-keyward-key': key, ...headers })).headers.get('x-request-id');
      const requests = () => test.log.map((line) => JSON.parse(line)).filter(isOwn);
      const isOwn = ({ msg, requestId }: Record<string, unknown>) =>
        msg === 'request' && requestId === id;
      await expect.poll(() => requests().length).toBe(1);
      return requests()[0].level;
    };
    expect(await levelOf({})).toBe(20);
    expect(await levelOf({ 'x-keyward-access-key': 'not-an-access-key' })).toBe(30);
  });

  it('is read from the header set by the gateway, then from the user’s headers', async () => {
    const { key } = await create();
    const found = async (headers: Record<string, string>) => (await verify(headers)).status;
    expect(await found({ 'x-keyward-key': `Bearer ${key}` })).toBe(200);
    expect(await found({ 'x-api-key': key })).toBe(200);
    expect(await found({ authorization: `Bearer ${key}` })).toBe(200);
    expect(await found({ 'x-keyward-key': '', 'x-api-key': key })).toBe(401);
    expect(await found({ 'x-keyward-key': 'another-value', 'x-api-key': key })).toBe(401);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])(
    'is accepted with %s',
    async (method) => {
      const { key } = await create();
      const response = await verify({ 'x-keyward-key': key }, '', method);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-keyward-code')).toBe('valid');
    },
  );

  it('is accepted at paths below /gateway/verify, which are not logged', async () => {
    const { key } = await create();
    const response = await verify({ 'x-keyward-key': key }, '/v1/their-path?their=query', 'POST');
    expect(response.status).toBe(200);
    expect(test.log.join('')).not.toContain('their-path');
    expect((await verify({ 'x-keyward-key': key }, 'ing')).status).toBe(404);
  });

  it('counts like any other validation', async () => {
    const { key, id } = await create();
    await verify({ 'x-keyward-key': key });
    await test.app.tally.flush();
    const { body } = await test.client.get(`/analytics/api-key-totals?key=${id}`);
    expect(body[0]).toMatchObject({ total: 1 });
    expect((await test.client.get(`/api-keys/${id}`)).body.firstUsedAt).not.toBeNull();
  });
});

describe('rejections', () => {
  const bodyOf = async (response: Response) => {
    const { statusCode, code } = JSON.parse(await response.text());
    return { statusCode, code };
  };
  const outcomeOf = async (response: Response) => ({
    status: response.status,
    meant: response.headers.get('x-keyward-status'),
    code: response.headers.get('x-keyward-code'),
    body: await bodyOf(response),
    authenticate: response.headers.get('www-authenticate'),
  });
  const refused = (status: number, meant: string, code: string) => ({
    status,
    meant,
    code,
    body: { statusCode: status, code },
    authenticate: status === 401 ? 'Bearer' : null,
  });

  it('missing, unknown, revoked and expired keys: 401, or the status that the gateway requests', async () => {
    const revoked = await create();
    await test.client.delete(`/api-keys/${revoked.id}`);
    const expired = await create({ expiry: new Date(test.clock.now + 1_000).toISOString() });
    test.clock.now += 1_000;
    const cases = [
      [{}, 'key_missing'],
      [{ 'x-keyward-key': 'never-issued' }, 'key_not_found'],
      [{ 'x-keyward-key': revoked.key }, 'key_revoked'],
      [{ 'x-keyward-key': expired.key }, 'key_expired'],
    ] as const;
    for (const [headers, code] of cases) {
      expect(await outcomeOf(await verify(headers))).toEqual(refused(401, '401', code));
      expect(await outcomeOf(await verify(headers, '?invalid=403'))).toEqual(
        refused(403, '401', code),
      );
    }
  });

  it('a domain that is not allowed: 403', async () => {
    const { key } = await create({ allowedDomains: ['app.example.com'] });
    const from = (domain: string) =>
      verify({ 'x-keyward-key': key, 'x-origin-domain': domain }, '?invalid=404');
    expect((await from('app.example.com')).status).toBe(200);
    expect(await outcomeOf(await from('evil.example'))).toEqual(
      refused(403, '403', 'domain_denied'),
    );
  });

  it('the limit: 429 with its headers, or 403 for nginx', async () => {
    const { key } = await create({ rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 60 } });
    const first = await verify({ 'x-keyward-key': key });
    expect(first.headers.get('ratelimit-remaining')).toBe('0');
    const second = await verify({ 'x-keyward-key': key });
    expect(second.headers.get('retry-after')).toBe('60');
    expect(await outcomeOf(second)).toEqual(refused(429, '429', 'rate_limited'));
    const third = await verify({ 'x-keyward-key': key }, '?limited=403');
    expect(third.headers.get('retry-after')).toBe('60');
    expect(await outcomeOf(third)).toEqual(refused(403, '429', 'rate_limited'));
  });

  it('an invalid or missing access key of the gateway: 401, which a user’s headers do not change', async () => {
    const { key } = await create();
    const send = (headers: Record<string, string>) =>
      fetch(`${test.url}/gateway/verify`, { headers });
    expect((await send({ 'x-keyward-key': key })).status).toBe(401);
    const wrong = { 'x-keyward-access-key': 'not-an-access-key', 'x-keyward-key': key };
    const response = await send({ ...wrong, 'x-api-key': test.accessKey });
    expect((await bodyOf(response)).code).toBe('credential_invalid');
    // If its own access key is in x-api-key, the user's key is read only from x-keyward-key.
    const usual = { 'x-api-key': test.accessKey };
    expect((await send({ ...usual, 'x-keyward-key': key })).status).toBe(200);
    expect((await bodyOf(await send({ ...usual, authorization: key }))).code).toBe('key_missing');
  });

  it('the gateway’s own access key: 503 if the gateway requests it, with the reason only in the log', async () => {
    const { key } = await create();
    const limited = await test.client.post('/access-keys', {
      name: 'Gateway',
      scopes: ['projects:read'],
    });
    const verifyWith = (accessKey: string | undefined) =>
      fetch(`${test.url}/gateway/verify`, {
        headers: {
          'x-keyward-own-errors': '503',
          'x-api-key': key,
          ...(accessKey !== undefined && { 'x-keyward-access-key': accessKey }),
        },
      });
    for (const accessKey of [undefined, 'not-an-access-key', limited.body.key]) {
      const response = await verifyWith(accessKey);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(response.headers.get('www-authenticate')).toBeNull();
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({ statusCode: 503, code: 'keyward_unavailable' });
      expect(text).not.toMatch(/scope|credential|access key/);
    }
    expect(
      test.log.filter((line) => line.includes('access key of a gateway rejected')),
    ).toHaveLength(1);
    expect((await verifyWith(test.accessKey)).status).toBe(200);
    const bad = await verify({ 'x-keyward-own-errors': '503', 'x-keyward-key': 'never-issued' });
    expect(await outcomeOf(bad)).toEqual(refused(401, '401', 'key_not_found'));
  });

  it('an unknown option, or one that would admit everyone: 400', async () => {
    expect((await verify({}, '?limited=200')).status).toBe(400);
    expect((await verify({}, '?other=1')).status).toBe(400);
  });
});
