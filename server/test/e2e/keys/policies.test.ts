import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const make = async (fields: object) =>
  (await test.client.post('/api-keys', { name: 'a key', ...fields })).body;
const validate = (key: string, fields: object = {}) =>
  test.client.post('/api-keys/auth', { key, ...fields });

describe('fields of a key', () => {
  const policies = {
    permissions: ['documents.read', 'billing:*'],
    allowedIPs: ['203.0.113.7', '10.0.0.0/8'],
    startsAt: '2020-01-01T00:00:00.000Z',
    tags: ['beta', 'eu-west'],
  };

  it('are unset on a key that uses none of them', async () => {
    const unset = { permissions: [], allowedIPs: null, startsAt: null, tags: [] };
    const key = await make({});
    expect(key).toMatchObject(unset);
    const record = (await validate(key.key)).body;
    for (const field of Object.keys(unset)) expect(record).not.toHaveProperty(field);
  });

  it('are returned, inherited by rotation, audited, and cleared by null', async () => {
    const key = await make(policies);
    expect(key).toMatchObject(policies);
    expect((await test.client.get(`/api-keys/${key.id}`)).body).toMatchObject(policies);
    const rotated = (await test.client.post(`/api-keys/${key.id}/rotate`, {})).body;
    expect(rotated).toMatchObject(policies);
    const cleared = { permissions: null, allowedIPs: null, startsAt: null, tags: null };
    const { body } = await test.client.patch(`/api-keys/${rotated.id}`, { name: 'b', ...cleared });
    expect(body).toMatchObject({ permissions: [], allowedIPs: null, startsAt: null, tags: [] });
    const { body: rows } = await test.client.get(
      `/audit-logs?target=${rotated.id}&action=api-key.updated`,
    );
    expect(rows[0].before).toMatchObject(policies);
    expect(rows[0].after).toMatchObject({ permissions: [], tags: [] });
  });

  it('can be imported', async () => {
    const row = { name: 'imported', key: 'imported-with-policies', ...policies };
    const { body } = await test.client.post('/api-keys/import', { keys: [row] });
    const { id } = body.results[0];
    expect((await test.client.get(`/api-keys/${id}`)).body).toMatchObject(policies);
  });

  it('keep each item once', async () => {
    const key = await make({ permissions: ['a', 'b', 'a'], tags: ['x', 'x'] });
    expect(key).toMatchObject({ permissions: ['a', 'b'], tags: ['x'] });
  });

  it.each([
    ['permissions', ['documents*']],
    ['permissions', ['a.*.b']],
    ['permissions', ['.a']],
    ['permissions', ['a..b']],
    ['permissions', ['']],
    ['permissions', ['a'.repeat(129)]],
    ['permissions', Array.from({ length: 101 }, () => 'a')],
    ['permissions', 'a'],
    ['allowedIPs', ['203.0.113']],
    ['allowedIPs', ['10.0.0.0/33']],
    ['allowedIPs', ['::1%eth0']],
    ['allowedIPs', []],
    ['allowedIPs', Array.from({ length: 101 }, () => '10.0.0.1')],
    ['startsAt', 'soon'],
    ['tags', ['Beta']],
    ['tags', ['a b']],
    ['tags', ['x'.repeat(65)]],
    ['tags', Array.from({ length: 17 }, (_, n) => `t${n}`)],
  ])('reject %s %j and name the field', async (field, value) => {
    const { status, body } = await test.client.post('/api-keys', { name: 'x', [field]: value });
    expect([status, body.code]).toEqual([400, 'invalid_body']);
    expect(body.message).toContain(field);
  });

  it('can be filtered by tag: a key must have all given tags', async () => {
    const both = await make({ tags: ['filter-a', 'filter_b'] });
    const one = await make({ tags: ['filter-a'] });
    await make({ tags: ['filter-ab'] });
    await make({ tags: ['filterxb'] });
    const ids = async (query: string) =>
      (await test.client.get(`/api-keys?${query}`)).body.map(({ id }: { id: string }) => id);
    expect(await ids('tag=filter-a')).toEqual([one.id, both.id]);
    expect(await ids('tag=filter-a&tag=filter_b')).toEqual([both.id]);
    expect(await ids('tag=filter_b')).toEqual([both.id]);
    expect(await ids('tag=filter')).toEqual([]);
    expect(await ids('tag=FILTER-A')).toEqual([]);
    expect(await ids('tag=,')).toEqual([]);
    expect((await test.client.get('/api-keys/count?tag=filter-a')).body.count).toBe(2);
  });
});

describe('required permissions', () => {
  it.each([
    ['documents.read', []],
    [['documents.read', 'documents.read.own'], []],
    ['documents', ['documents']],
    ['documents:x', ['documents:x']],
    [
      ['documents.read', 'users.read', 'users.write'],
      ['users.read', 'users.write'],
    ],
    [{ any: ['users.read', 'documents.read'] }, []],
    [{ any: ['users.read', 'users.write'] }, ['users.read', 'users.write']],
    [
      { all: ['documents.read', { any: ['x', { all: ['documents.a', 'y'] }] }] },
      ['x', 'documents.a', 'y'],
    ],
  ])('%j: missing %j', async (permissions, missing) => {
    const key = await make({ permissions: ['documents.*'] });
    const { status, body } = await validate(key.key, { permissions });
    expect(status).toBe(missing.length === 0 ? 200 : 403);
    if (missing.length === 0) expect(body.permissions).toEqual(['documents.*']);
    else expect(body).toMatchObject({ code: 'permission_denied', missing });
    const batch = await test.client.post('/api-keys/auth', {
      keys: [{ key: key.key, permissions }],
    });
    expect(batch.body[0].missing ?? []).toEqual(missing);
  });

  const names = Array.from({ length: 33 }, (_, n) => `a${n}`);

  it.each<{ permissions: unknown }>([
    { permissions: [] },
    { permissions: { all: [] } },
    { permissions: { any: [], all: ['a'] } },
    { permissions: { all: ['a'], any: ['b'] } },
    { permissions: { none: ['a'] } },
    { permissions: { all: { any: ['a'] } } },
    { permissions: { all: [{ any: [{ all: [{ any: ['a'] }] }] }] } },
    { permissions: 'documents.*' },
    { permissions: 'a'.repeat(129) },
    { permissions: names },
    { permissions: { any: [{ all: names }] } },
    { permissions: [{ any: names.slice(20) }, { any: names.slice(0, 20) }] },
    { permissions: 7 },
    { permissions: null },
  ])('rejects $permissions', async (fields) => {
    const key = await make({ permissions: ['*'] });
    const { status, body } = await validate(key.key, fields);
    expect([status, body.code]).toEqual([400, 'invalid_body']);
    expect(body.message).toContain('permissions');
  });

  it('do not match names of Object.prototype', async () => {
    const key = await make({ permissions: ['a'] });
    const required = ['__proto__', 'constructor', 'hasOwnProperty'];
    expect((await validate(key.key, { permissions: required })).body.missing).toEqual(required);
    const holder = await make({ permissions: required });
    expect((await validate(holder.key, { permissions: required })).status).toBe(200);
  });

  it('are combined in a batch: those of all keys and those of one', async () => {
    const key = (await make({ permissions: ['a'] })).key;
    const { body } = await test.client.post('/api-keys/auth', {
      keys: [key, { key }, { key, permissions: 'b' }],
      permissions: 'a',
    });
    expect(body.map(({ code }: { code: string }) => code)).toEqual([
      'valid',
      'valid',
      'permission_denied',
    ]);
    expect(body[2].missing).toEqual(['b']);
    expect(body[0].record.permissions).toEqual(['a']);
  });

  it('are accepted in the path form, the old form and by gateways', async () => {
    const key = (await make({ permissions: ['a', 'b'] })).key;
    const path = (query: string) => test.client.post(`/api-keys/auth/${key}?${query}`);
    expect((await path('permission=a&permission=b')).status).toBe(200);
    expect((await path('permission=a&permission=c')).body.missing).toEqual(['c']);
    expect((await path('permission=*')).body.code).toBe('invalid_query');
    expect((await path('permissions=a')).body.code).toBe('invalid_query');
    const old = (permissions: unknown) =>
      test.client.post('/auth/authenticate', { credentials: { api_key: key }, permissions });
    expect((await old('a')).status).toBe(200);
    expect((await old('c')).body.missing).toEqual(['c']);
    const gateway = (query: string, headers = {}) =>
      test.client.as(null).get(`/gateway/verify${query}`, {
        'x-keyward-access-key': test.accessKey,
        'x-keyward-key': key,
        ...headers,
      });
    expect((await gateway('?permission=a')).status).toBe(200);
    const refused = await gateway('?permission=c');
    expect([refused.status, refused.headers.get('x-keyward-code')]).toEqual([
      403,
      'permission_denied',
    ]);
    expect(refused.text).not.toContain('"c"');
    expect((await gateway('?permission=a', { 'x-keyward-permission': 'b, c' })).status).toBe(403);
    expect((await gateway('?permission=a', { 'x-keyward-permission': 'b' })).status).toBe(200);
    expect((await gateway('', { 'x-keyward-permission': '*' })).body.code).toBe('invalid_header');
    expect((await gateway('?permissions=a')).body.code).toBe('invalid_query');
    expect((await gateway('?ip=10.0.0.1&ip=10.0.0.2')).body.code).toBe('invalid_query');
    expect((await gateway('/below?permission=c')).status).toBe(200);
  });
});

describe('allowed addresses', () => {
  it.each([
    ['203.0.113.7', 200],
    ['::ffff:203.0.113.7', 200],
    ['10.255.0.1', 200],
    ['2001:db8:1::5', 200],
    ['203.0.113.8', 403],
    ['11.0.0.1', 403],
    ['2001:db9::1', 403],
  ])('clientIP %s: %i', async (clientIP, status) => {
    const allowedIPs = ['203.0.113.7', '10.0.0.0/8', '2001:db8::/32'];
    const key = (await make({ allowedIPs })).key;
    const responses = [
      await validate(key, { clientIP }),
      await test.client.post(`/api-keys/auth/${key}?ip=${clientIP}`),
    ];
    for (const response of responses) expect(response.status).toBe(status);
    if (status === 403) expect(responses[0]!.body.code).toBe('ip_denied');
  });

  it('refuse a validation without an address', async () => {
    const key = (await make({ allowedIPs: ['10.0.0.0/8'] })).key;
    expect((await validate(key)).body.code).toBe('ip_denied');
  });

  it.each(['10.0.0.1:80', '[::1]', 'fe80::1%1', '10.0.0', 'localhost', '010.0.0.1'])(
    'clientIP %s is rejected for any key, because it is not an address',
    async (clientIP) => {
      const key = (await make({})).key;
      expect((await validate(key, { clientIP })).body.code).toBe('invalid_body');
      const query = `ip=${encodeURIComponent(clientIP)}`;
      const { body } = await test.client.post(`/api-keys/auth/${key}?${query}`);
      expect(body.code).toBe('invalid_query');
    },
  );
});

describe('start of a key', () => {
  it('is exact to the millisecond', async () => {
    const at = test.clock.now + 60_000;
    const key = (await make({ startsAt: new Date(at).toISOString() })).key;
    expect((await validate(key)).body).toMatchObject({ statusCode: 404, code: 'key_not_started' });
    test.clock.now = at - 1;
    expect((await validate(key)).body.code).toBe('key_not_started');
    test.clock.now = at;
    expect((await validate(key)).status).toBe(200);
  });
});

describe('a missing permission, or a denied address or domain', () => {
  it('consumes nothing from the limit', async () => {
    const key = (
      await make({
        permissions: ['a'],
        allowedIPs: ['10.0.0.1'],
        allowedDomains: ['app.example'],
        rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 60 },
      })
    ).key;
    const from = { 'x-origin-domain': 'app.example' };
    const ask = (fields: object, headers = from) =>
      test.client.post('/api-keys/auth', { key, ...fields }, headers);
    const good = { permissions: 'a', clientIP: '10.0.0.1' };
    expect((await ask({ ...good, permissions: 'b' })).body.code).toBe('permission_denied');
    expect((await ask({ ...good, clientIP: '10.0.0.2' })).body.code).toBe('ip_denied');
    expect((await ask(good, { 'x-origin-domain': 'evil' })).body.code).toBe('domain_denied');
    expect((await ask(good)).headers.get('ratelimit-remaining')).toBe('0');
    expect((await ask(good)).status).toBe(429);
    expect((await ask({ ...good, permissions: 'b' })).body.code).toBe('permission_denied');
  });
});

describe('explaining', () => {
  it('returns each check in order, and counts nothing', async () => {
    const key = await make({ permissions: ['a'], allowedIPs: ['10.0.0.1'] });
    const explain = async (fields: object) =>
      (await test.client.post(`/api-keys/${key.id}/explain`, fields)).body;
    expect(await explain({ clientIP: '10.0.0.1', permissions: 'a' })).toMatchObject({
      valid: true,
      code: 'valid',
      missing: [],
    });
    const refused = await explain({ permissions: ['a', 'b'] });
    expect(refused).toMatchObject({ valid: false, code: 'ip_denied', missing: ['b'] });
    expect(refused.checks.map(({ passed }: { passed: boolean | null }) => passed)).toEqual([
      ...[true, true, true, true, true],
      ...[false, null, null, null],
    ]);
    expect((await test.client.get(`/api-keys/${key.id}`)).body.firstUsedAt).toBeNull();
    const other = await test.client.post('/api-keys/key_0000000000000000000000000/explain', {});
    expect(other.status).toBe(404);
  });

  it('shows each limit with its level and what is left, and takes nothing', async () => {
    const second = { name: 'second', rateLimit: 1, rateLimitTtl: 1, mode: 'shadow' };
    const day = { name: 'day', rateLimit: 10, rateLimitTtl: 86_400, per: 'customer' };
    const hour = { name: 'hour', rateLimit: 5, rateLimitTtl: 3600, algorithm: 'sliding' };
    const plan = (await test.client.post('/plans', { name: 'p', limits: [second, day] })).body;
    const customAccountId = 'explained';
    await test.client.post('/customers', { customAccountId, planId: plan.id, limits: [hour] });
    const rateLimitConfigs = { rateLimit: 7, rateLimitTtl: 60 };
    const key = await make({ customAccountId, rateLimitConfigs });
    const explain = async (fields: object = {}) =>
      (await test.client.post(`/api-keys/${key.id}/explain`, fields)).body;
    const unused = { resetAt: null, exceeded: false };
    const whole = { per: 'key', algorithm: 'fixed', mode: 'enforce' };
    const { limits, credits } = await explain();
    expect(credits).toBeNull();
    expect(limits).toEqual([
      { ...whole, name: 'default', ...rateLimitConfigs, level: 'key', remaining: 7, ...unused },
      { ...whole, ...second, level: 'plan', remaining: 1, ...unused },
      { ...whole, ...day, level: 'plan', remaining: 10, ...unused },
      { ...whole, ...hour, level: 'customer', remaining: 5, ...unused },
    ]);
    expect((await validate(key.key, { cost: 4 })).status).toBe(200);
    const at = (seconds: number) => new Date(test.clock.now + seconds * 1000).toISOString();
    for (let times = 0; times < 2; times++) {
      const explained = await explain({ cost: 2 });
      expect(explained).toMatchObject({ valid: false, code: 'rate_limited' });
      expect(explained.limits).toMatchObject([
        { remaining: 3, resetAt: at(60), exceeded: false },
        { remaining: 1, resetAt: null, exceeded: true },
        { remaining: 6, resetAt: at(86_400), exceeded: false },
        { remaining: 1, exceeded: true },
      ]);
    }
    expect(await explain({ cost: 0 })).toMatchObject({ valid: true });
    // A limit in shadow mode never refuses.
    expect(await explain({ cost: 1 })).toMatchObject({ valid: true });
    expect((await validate(key.key)).status).toBe(200);
  });

  it('shows the credits that pay, and takes none', async () => {
    const refill = { amount: 3, interval: 'day', timezone: 'UTC' };
    const key = await make({ credits: { refill } });
    const explain = async (cost: number) =>
      (await test.client.post(`/api-keys/${key.id}/explain`, { cost })).body;
    const left = { ...key.credits, level: 'key' };
    const enough = { valid: true, credits: { ...left, exceeded: false } };
    expect(await explain(3)).toMatchObject(enough);
    expect(await explain(3)).toMatchObject(enough);
    const tooFew = await explain(4);
    expect(tooFew).toMatchObject({ valid: false, code: 'credits_exhausted' });
    expect(tooFew.credits).toEqual({ ...left, exceeded: true });
    const plan = await test.client.post('/plans', {
      name: 'p',
      credits: { amount: 9, interval: null },
    });
    const planned = await make({ planId: plan.body.id });
    const { body } = await test.client.post(`/api-keys/${planned.id}/explain`, {});
    expect(body.credits).toMatchObject({ level: 'plan', remaining: 9, nextRefillAt: null });
  });
});

describe('key prefix of a project', () => {
  it('is the start of new values, and the mask shows it and six characters', async () => {
    const project = (await test.client.post('/projects', { name: 'p', keyPrefix: 'acme_live_' }))
      .body;
    expect(project.keyPrefix).toBe('acme_live_');
    const key = await make({ projectId: project.id });
    expect(key.key).toMatch(/^acme_live_[0-9A-Za-z]{49}$/);
    const shown = (await test.client.get(`/api-keys/${key.id}`)).body.key;
    expect(shown).toBe(`${key.key.slice(0, 16)}*********`);
    expect((await validate(key.key)).status).toBe(200);
    // Looked up like any value, since an imported one may look like this.
    const mistyped = `${key.key.slice(0, -1)}${key.key.endsWith('0') ? '1' : '0'}`;
    expect((await validate(mistyped)).body.code).toBe('key_not_found');
    const path = `/projects/${project.id}`;
    expect((await test.client.patch(path, { keyPrefix: null })).body.keyPrefix).toBeNull();
    const rotated = (await test.client.post(`/api-keys/${key.id}/rotate`, { graceSeconds: 60 }))
      .body;
    expect(rotated.key).toMatch(/^live_/);
    expect((await validate(key.key)).status).toBe(200);
  });

  it.each([
    'live_',
    'test_',
    'my_access_',
    'portal_',
    'x_whsec_',
    'key_',
    'acme',
    'Acme_',
    'a__',
    'a_b_c_',
    '1a_',
  ])('cannot be %s', async (keyPrefix) => {
    const { status, body } = await test.client.post('/projects', { name: 'p', keyPrefix });
    expect([status, body.code]).toEqual([400, 'invalid_body']);
    expect(body.message).toContain('keyPrefix');
  });
});
