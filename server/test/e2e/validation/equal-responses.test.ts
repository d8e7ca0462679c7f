// 10 s of CPU: every kind of validation, on a server and three times on an edge.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  exchange,
  type RawRequest,
  type RawResponse,
  startTestEdge,
  type TestEdge,
} from '../../edge/test-edge.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
let edge: TestEdge;
let keys: Record<string, string>;

beforeAll(async () => {
  test = await startTestApp({ realClock: true });
  keys = await makeKeys();
  edge = await startTestEdge({ upstreamUrl: test.url, accessKey: test.accessKey });
  await edge.started;
});
afterAll(async () => {
  await edge.stop();
  await test.close();
});

const create = async (fields: object = {}) => {
  const { status, body, text } = await test.client.post('/api-keys', { name: 'Key', ...fields });
  expect(status, text).toBe(201);
  return body;
};

const HOUR = 3_600_000;
/** Far more than is used here: on a slow machine much is on lease, or lost with a lease that has ended. */
const DAY = { name: 'day', rateLimit: 100_000, rateLimitTtl: 86_400 };
const SECOND = { name: 'second', rateLimit: 50_000, rateLimitTtl: 60, algorithm: 'sliding' };
const SHADOW = { name: 'tried', rateLimit: 1, rateLimitTtl: 86_400, mode: 'shadow' };

/** A key for every result of a validation; each is validated on the server and on the edge. */
async function makeKeys(): Promise<Record<string, string>> {
  const later = (ms: number) => new Date(Date.now() + ms).toISOString();
  const made: Record<string, string> = {};
  const add = async (name: string, fields: object = {}) => {
    const record = await create(fields);
    made[name] = record.key;
    return record;
  };
  await add('plain');
  await add('rich', {
    name: 'Schlüssel 🔑 "quoted"',
    customMetaData: { b: [1, { 10: 'x', 2: null }], a: 'ü\u2028', n: -0.5e-7 },
    customAccountId: 'acme',
    customUserId: 'user 7',
  });
  const revoked = await add('revoked');
  await test.client.delete(`/api-keys/${revoked.id}`);
  await add('not started', { startsAt: later(HOUR) });
  await add('expiring', { expiry: later(HOUR) });
  const expired = await add('expired', { expiry: later(HOUR) });
  await test.client.patch(`/api-keys/${expired.id}`, { name: 'Key', expiry: later(-HOUR) });
  await add('domains', { allowedDomains: ['example.com', '*.example.org'] });
  await add('addresses', { allowedIPs: ['203.0.113.0/24', '2001:db8::/32'] });
  await add('permissions', { permissions: ['documents.*', 'billing.read'] });
  await add('limited', { rateLimitConfigs: { rateLimit: 100_000, rateLimitTtl: 600 } });
  await add('several limits', {
    rateLimitConfigs: { rateLimit: 90_000, rateLimitTtl: 600 },
    limits: [DAY, SECOND, SHADOW],
  });
  await add('credits', {
    credits: { remaining: 90_000, refill: { amount: 90_000, interval: 'month' } },
  });
  await add('credits once', { credits: { remaining: 80_000 }, limits: [DAY] });
  await add('no credits', { credits: { remaining: 0, refill: { amount: 9, interval: 'month' } } });
  await add('no credits ever', { credits: { remaining: 0 } });
  await add('used up', { rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 86_400 } });
  await add('one of several used up', { limits: [DAY, { ...DAY, name: 'small', rateLimit: 1 }] });
  for (const name of ['several limits', 'used up', 'one of several used up'])
    expect((await test.client.post('/api-keys/auth', { key: made[name] })).status).toBe(200);
  const { body: project } = await test.client.post('/projects', {
    name: 'Closed',
    accountId: test.accountId,
    env: 'live',
  });
  await add('of a closed project', { projectId: project.id });
  await test.client.delete(`/projects/${project.id}`);
  const { body: plan } = await test.client.post('/plans', {
    name: 'Team',
    projectId: test.projectId,
    permissions: ['reports.read'],
    limits: [{ ...DAY, per: 'customer' }],
    credits: { amount: 70_000, interval: 'day' },
  });
  await add('of a plan', { planId: plan.id, customAccountId: 'initech' });
  return {
    ...made,
    unknown: 'a-value-that-nobody-has',
    malformed: `live_${'x'.repeat(49)}`,
    'an id': revoked.id,
    short: 'x',
  };
}

/**
 * The response without what may differ: the request id, the date, how much is left of limits and credits, and
 * when they reset. If a key has several limits, the headers may also describe another one of them.
 */
function comparable({ status, headers, body }: RawResponse) {
  const { date, connection, 'keep-alive': keepAlive, 'content-length': length, ...rest } = headers;
  if (length !== undefined) expect(Number(length)).toBe(Buffer.byteLength(body));
  const leastLeft = headers['ratelimit-policy']?.includes(',') ? '|limit' : '';
  const varies = new RegExp(
    `^(x-request-id|ratelimit-(remaining|reset|consumed${leastLeft})|retry-after(-seconds)?|credits-remaining)$`,
  );
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [
        name,
        varies.test(name) ? '…' : value.replaceAll(/;(r|t)=\d+/g, ';$1=…'),
      ]),
    ),
    body: body
      .replaceAll(/"requestId":"[^"]+"/g, '"requestId":"…"')
      .replaceAll(/"(remaining|consumed|reset|retryAfterSeconds)":[\d.]+/g, '"$1":…')
      .replaceAll(/"rateLimit":\{"limit":\d+/g, '"rateLimit":{"limit":…'),
  };
}

/** Sends a request once to the server, and three times to the edge: before and after it caches the key. */
async function expectEqual(request: RawRequest): Promise<RawResponse> {
  const from = await exchange(test.url, request);
  for (let n = 0; n < 3; n++) {
    const own = await exchange(edge.address, request);
    expect(comparable(own), `${request.method ?? 'POST'} ${request.path}, ${n + 1}`).toEqual(
      comparable(from),
    );
  }
  return from;
}

const caller = () => ({ 'x-api-key': test.accessKey });

const CONDITIONS: [name: string, fields: object, headers?: object][] = [
  ['no conditions', {}],
  ['a permission', { permissions: 'documents.read' }],
  ['missing permissions', { permissions: ['documents.read', 'x.y', 'billing.write'] }],
  ['one of several permissions', { permissions: { any: ['x.y', 'billing.read', 'reports.read'] } }],
  ['nested permissions', { permissions: { all: ['documents.a', { any: ['p.q', 'r.s'] }] } }],
  ['an address', { clientIP: '203.0.113.7' }],
  ['another address', { clientIP: '::ffff:198.51.100.1' }],
  ['a domain', {}, { 'x-origin-domain': 'api.example.org' }],
  ['another domain', {}, { 'x-origin-domain': 'example.net' }],
  ['cost 0', { cost: 0 }],
  ['cost 3', { cost: 3 }],
  ['a cost beyond every limit', { cost: 500_000 }],
  ['everything', { permissions: 'documents.read', clientIP: '2001:db8::1', cost: 2 }],
];

describe('a validation has the same response as on the server', () => {
  it.each<(typeof CONDITIONS)[number]>(CONDITIONS)('with %s', async (_, fields, headers = {}) => {
    const common = { ...caller(), ...headers };
    for (const value of Object.values(keys)) {
      await expectEqual({
        path: '/api-keys/auth',
        headers: common,
        body: JSON.stringify({ key: value, ...fields }),
      });
      await expectEqual({
        path: '/auth/authenticate',
        headers: common,
        body: JSON.stringify({ credentials: { api_key: value }, sentAt: 1, ...fields }),
      });
    }
    await expectEqual({
      path: '/api-keys/auth/',
      headers: common,
      body: JSON.stringify({
        ...('cost' in fields
          ? { keys: Object.values(keys).map((key) => ({ key, ...fields })) }
          : { keys: Object.values(keys), ...fields }),
      }),
    });
  });

  it('in the path', async () => {
    const queries = ['', '?permission=documents.read&permission=a.b', '?ip=203.0.113.9&cost=2'];
    for (const value of Object.values(keys))
      for (const query of queries)
        for (const method of ['POST', 'GET'])
          await expectEqual({
            method,
            path: `/api-keys/auth/${encodeURIComponent(value)}${query}`,
            headers: caller(),
          });
  });

  it('for a gateway', async () => {
    const queries = [
      '',
      '?invalid=403&limited=401',
      '?permission=documents.read&ip=203.0.113.1&cost=2',
    ];
    for (const value of Object.values(keys))
      for (const query of queries)
        for (const headers of [
          { 'x-keyward-key': value },
          { authorization: `Bearer ${value}` },
          { 'x-api-key': value, 'x-keyward-permission': 'billing.read, a.b' },
        ] as Record<string, string>[])
          await expectEqual({
            method: 'GET',
            path: `/gateway/verify${query}`,
            headers: { 'x-keyward-access-key': test.accessKey, ...headers },
          });
    await expectEqual({
      path: '/gateway/verify/some/path?x=1',
      headers: { 'x-keyward-access-key': test.accessKey, 'x-keyward-key': keys.plain! },
    });
  });
});

describe('a request that is not valid has the same response as on the server', () => {
  const body =
    (text: string, headers: object = {}): (() => RawRequest) =>
    () => ({ path: '/api-keys/auth', headers: { ...caller(), ...headers }, body: text });
  const path =
    (rest: string, method = 'POST'): (() => RawRequest) =>
    () => ({ method, path: rest, headers: caller() });

  it.each<[string, () => RawRequest]>([
    ['no body', path('/api-keys/auth')],
    ['no JSON', body('{"key":')],
    ['another type', body('key=x', { 'content-type': 'text/plain' })],
    ['no object', body('[]')],
    ['an unknown field', body('{"key":"a-value","kye":1}')],
    ['a field twice', body('{"key":"a-value","key":"b-value"}')],
    ['key and keys', body('{"key":"a-value","keys":["a-value"]}')],
    ['neither key nor keys', body('{}')],
    ['no keys', body('{"keys":[]}')],
    ['too many keys', body(JSON.stringify({ keys: Array(1001).fill('x') }))],
    ['a cost with keys', body('{"keys":["a-value"],"cost":2}')],
    ['a cost that is too large', body('{"key":"a-value","cost":1000001}')],
    ['a cost in a batch that is too large', body('{"keys":[{"key":"a","cost":1000001}]}')],
    ['a wrong permission', body('{"key":"a-value","permissions":"a.*"}')],
    ['a wrong permission in a batch', body('{"keys":[{"key":"a","permissions":[]}]}')],
    ['a wrong address', body('{"key":"a-value","clientIP":"203.0.113.7:80"}')],
    ['a value that is too long', body(JSON.stringify({ key: 'x'.repeat(5_000) }))],
    ['a body that is too large', body(JSON.stringify({ key: 'x'.repeat(70_000) }))],
    ['leases without lease', body('{"key":"a-value","leases":{}}')],
    ['a body where none is taken', () => ({ ...body('{"a":1}')(), path: '/api-keys/auth/x' })],
    [
      'an empty object where no body is taken',
      () => ({ ...body('{}')(), path: '/api-keys/auth/x' }),
    ],
    ['an unknown parameter', path('/api-keys/auth/a-value?permissions=x')],
    ['a parameter of another form', path('/api-keys/auth?cost=1')],
    ['a wrong parameter', path('/api-keys/auth/a-value?cost=-1')],
    ['an address twice', path('/api-keys/auth/a-value?ip=1.1.1.1&ip=1.1.1.2')],
    ['a path that is not encoded', path('/api-keys/auth/%zz')],
    ['a value with escapes', path('/api-keys/auth/a%20b%2Fc%00')],
    ['an absolute URL', path('http://keyward.example/api-keys/auth/x')],
    ['a wrong status for a gateway', path('/gateway/verify?invalid=200', 'GET')],
    ['a cost of 0 for a gateway', path('/gateway/verify?cost=0', 'GET')],
    ['no key for a gateway', path('/gateway/verify', 'GET')],
    [
      'the old form and no key',
      () => ({ ...body('{"credentials":{}}')(), path: '/auth/authenticate' }),
    ],
  ])('with %s', async (_, make) => {
    await expectEqual(make());
  });

  it('with a repeated header', async () => {
    await expectEqual({
      path: '/api-keys/auth/x',
      headers: { 'x-api-key': [test.accessKey, test.accessKey] },
    });
  });
});

describe('an access key that the server refuses has the same response', () => {
  const forms = (headers: Record<string, string>): RawRequest[] => [
    { path: '/api-keys/auth', headers, body: JSON.stringify({ key: keys.plain }) },
    { path: '/api-keys/auth', headers, body: JSON.stringify({ keys: [keys.plain] }) },
    { method: 'GET', path: `/api-keys/auth/${keys.plain}`, headers },
    {
      method: 'GET',
      path: '/gateway/verify',
      headers: { ...headers, 'x-keyward-key': keys.plain! },
    },
    {
      method: 'GET',
      path: '/gateway/verify',
      headers: { ...headers, 'x-keyward-key': keys.plain!, 'x-keyward-own-errors': '503' },
    },
  ];

  it('if it is missing', async () => {
    for (const request of forms({})) await expectEqual(request);
  });

  it('if it is unknown, in either header', async () => {
    for (const request of forms({ 'x-api-key': 'unknown-access-key' })) await expectEqual(request);
    for (const request of forms({ authorization: 'Bearer unknown' })) await expectEqual(request);
  });

  it('if it is revoked, lacks the scope, or belongs to another project', async () => {
    const { body: revoked } = await test.client.post('/access-keys', { name: 'Revoked' });
    const { body: reader } = await test.client.post('/access-keys', {
      name: 'Reader',
      scopes: ['keys:read'],
    });
    const { body: other } = await test.client.post('/projects', {
      name: 'Other',
      accountId: test.accountId,
      env: 'live',
    });
    const { body: foreign } = await test.client.post('/access-keys', {
      name: 'Other',
      projectId: other.id,
    });
    // The first use of an access key takes another path through the server.
    for (const { key } of [revoked, foreign])
      for (const address of [test.url, edge.address])
        for (const request of forms({ 'x-api-key': key })) await exchange(address, request);
    for (const request of forms({ 'x-api-key': revoked.key })) await expectEqual(request);
    await test.client.delete(`/access-keys/${revoked.id}`);
    for (const { key } of [reader, foreign])
      for (const request of forms({ 'x-api-key': key })) await expectEqual(request);
    await expect
      .poll(
        async () => (await exchange(edge.address, forms({ 'x-api-key': revoked.key })[0]!)).status,
      )
      .toBe(401);
    for (const request of forms({ 'x-api-key': revoked.key })) await expectEqual(request);
  });
});
