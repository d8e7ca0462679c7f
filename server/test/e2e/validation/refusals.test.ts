import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RefusalRetention } from '../../../src/features/analytics/refusals/retention.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const createKey = async (body: object = {}) =>
  (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...body })).body;
const validate = (key: string, body: object = {}, headers: Record<string, string> = {}) =>
  test.client.post('/api-keys/auth', { key, ...body }, headers);

/** The list, after all refusals so far have been written. */
async function refusals(query: string, client = test.client) {
  await test.app.tally.flush();
  return client.get(`/refusals?${query}`);
}
const omittedIn = (response: Awaited<ReturnType<typeof refusals>>) =>
  Number(response.headers.get('keyward-omitted'));

describe('a refusal', () => {
  it('is recorded with everything that explains it, and without the value', async () => {
    const { id, key } = await createKey({
      permissions: ['documents.read'],
      allowedDomains: ['app.example.com'],
    });
    await validate(
      key,
      { permissions: ['documents.write', 'documents.read'], clientIP: '2001:db8::7', cost: 3 },
      { 'x-origin-domain': 'app.example.com' },
    );
    const { body, text } = await refusals(`key=${id}`);
    expect(body).toEqual([
      {
        id: expect.stringMatching(/^rfs_/),
        time: new Date(test.clock.now).toISOString(),
        projectId: test.projectId,
        keyId: id,
        code: 'permission_denied',
        accessKeyId: expect.stringMatching(/^ak_/),
        clientIP: '2001:db8::7',
        origin: 'app.example.com',
        missing: ['documents.write'],
        limit: null,
        cost: 3,
      },
    ]);
    expect(text).not.toContain(key);
    const found = await test.client.get('/access-keys');
    expect(found.body.map((one: { id: string }) => one.id)).toContain(body[0].accessKeyId);
  });

  it.each([
    ['domain_denied', { allowedDomains: ['a.example'] }, {}],
    ['ip_denied', { allowedIPs: ['10.0.0.0/8'] }, { clientIP: '192.0.2.7' }],
    ['key_not_started', { startsAt: '2099-01-01' }, {}],
    ['credits_exhausted', { credits: { remaining: 0 } }, {}],
  ])('with %s is recorded', async (code, fields, body) => {
    const { id, key } = await createKey(fields);
    expect((await validate(key, body)).body.code).toBe(code);
    expect((await refusals(`key=${id}`)).body).toMatchObject([{ code, limit: null }]);
  });

  it('names the limit, and `default` for rateLimitConfigs', async () => {
    const plain = await createKey({ rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 60 } });
    const named = await createKey({
      limits: [{ name: 'day', rateLimit: 1, rateLimitTtl: 86_400 }],
    });
    for (const { key } of [plain, plain, named, named]) await validate(key);
    expect((await refusals(`key=${plain.id}`)).body).toMatchObject([
      { code: 'rate_limited', limit: 'default' },
    ]);
    expect((await refusals(`key=${named.id}`)).body).toMatchObject([
      { code: 'rate_limited', limit: 'day' },
    ]);
  });

  it('is recorded in all forms of validation', async () => {
    const { id, key } = await createKey();
    await test.client.delete(`/api-keys/${id}`);
    await test.client.post(`/api-keys/auth/${key}`);
    await test.client.post('/api-keys/auth', { keys: [key] });
    await test.client.post('/auth/authenticate', { credentials: { api_key: key } });
    await test.client.get('/gateway/verify', { 'x-keyward-key': key });
    const { body } = await refusals(`key=${id}`);
    expect(body.map(({ code }: { code: string }) => code)).toEqual(Array(4).fill('key_revoked'));
  });

  it('is not recorded for an unknown value, and a valid key records nothing', async () => {
    const before = (await refusals('')).body.length;
    const { key } = await createKey();
    await validate(key);
    await validate('not-a-key-of-ours');
    const after = await refusals('');
    expect([after.body.length, omittedIn(after)]).toEqual([before, 0]);
  });

  it('shortens the origin, and masks values in it', async () => {
    const { id, key } = await createKey({ allowedDomains: ['a.example'] });
    await validate(key, {}, { 'x-origin-domain': `${key}.example` });
    await validate(key, {}, { 'x-origin-domain': 'x'.repeat(400) });
    const { body, text } = await refusals(`key=${id}`);
    expect(text).not.toContain(key);
    expect(body[0].origin).toBe('x'.repeat(255));
  });
});

describe('the list', () => {
  it('is filtered by customer, code, project and time, and paged newest first', async () => {
    const customAccountId = 'customer of the list';
    const { id, key } = await createKey({ customAccountId });
    await test.client.delete(`/api-keys/${id}`);
    const times: string[] = [];
    for (let n = 0; n < 5; n++) {
      test.clock.now += 1_000;
      times.unshift(new Date(test.clock.now).toISOString());
      await validate(key);
    }
    const base = `customAccountId=${encodeURIComponent(customAccountId)}`;
    const timesOf = (body: { time: string }[]) => body.map(({ time }) => time);
    expect(timesOf((await refusals(base)).body)).toEqual(times);
    expect((await refusals(`${base}&code=rate_limited`)).body).toEqual([]);
    expect((await refusals(`${base}&projectId=${test.projectId}`)).body).toHaveLength(5);
    const range = `${base}&from=${times[3]}&to=${times[1]}`;
    expect(timesOf((await refusals(range)).body)).toEqual([times[2], times[3]]);
    expect((await refusals(`customAccountId=null&key=${id}`)).body).toEqual([]);

    const first = await refusals(`${base}&limit=2&to=${times[0]}`);
    const next = /<([^>]+)>/.exec(first.headers.get('link')!)![1]!;
    const second = await test.client.get(next);
    expect(timesOf([...first.body, ...second.body])).toEqual(times.slice(1));
    expect((await test.client.get('/refusals?cursor=eHg')).body.code).toBe('invalid_cursor');
    expect((await test.client.get('/refusals?from=then')).status).toBe(400);
  });

  it('never shows refusals of another account, nor of another project', async () => {
    const theirs = await createOtherAccount(test);
    const { id, key } = await createKey();
    await test.client.delete(`/api-keys/${id}`);
    await validate(key);
    expect((await refusals('', theirs.client)).body).toEqual([]);
    const { body: beside } = await test.client.post('/projects', { name: 'Beside' });
    const { body: access } = await test.client.post('/access-keys', {
      name: 'Beside',
      projectId: beside.id,
    });
    const ofProject = test.client.as(access.key);
    expect((await refusals('', ofProject)).body).toEqual([]);
    expect((await refusals(`key=${id}`, ofProject)).status).toBe(404);
  });

  it('forgets the refusals of an erased key', async () => {
    const { id, key } = await createKey({ customAccountId: 'erased' });
    await test.client.delete(`/api-keys/${id}`);
    await validate(key);
    expect((await refusals('customAccountId=erased')).body).toHaveLength(1);
    // Counted before the erasure and written after it.
    await validate(key);
    await test.client.delete(`/api-keys/${id}?permanent=true`);
    expect((await refusals('customAccountId=erased')).body).toEqual([]);
    const rows = await test.storage.point.selectFrom('refusals').select('key_seq').execute();
    const keys = await test.storage.point.selectFrom('api_keys').select('seq').execute();
    const known = new Set(keys.map(({ seq }) => seq));
    expect(rows.filter(({ key_seq }) => !known.has(key_seq))).toEqual([]);
  });
});

describe('the bounds', () => {
  it('allow 10 rows a minute for a key, and count the others in keyward-omitted', async () => {
    test.clock.now += MINUTE_MS;
    const [one, other] = [await createKey(), await createKey()];
    for (const { id } of [one, other]) await test.client.delete(`/api-keys/${id}`);
    for (let n = 0; n < 13; n++) await validate(one.key);
    await validate(other.key);
    const ofOne = await refusals(`key=${one.id}`);
    expect([ofOne.body.length, omittedIn(ofOne)]).toEqual([10, 3]);
    expect(omittedIn(await refusals(`key=${other.id}`))).toBe(0);
    const from = new Date(test.clock.now).toISOString();
    expect(omittedIn(await refusals(`from=${from}`))).toBe(3);
    expect(omittedIn(await refusals(`key=${one.id}&to=2030-01-01`))).toBe(0);

    test.clock.now += MINUTE_MS;
    await validate(one.key);
    expect((await refusals(`key=${one.id}`)).body).toHaveLength(11);
  });

  it('delete rows older than 7 days', async () => {
    const { id, key } = await createKey();
    await test.client.delete(`/api-keys/${id}`);
    for (let n = 0; n < 12; n++) await validate(key);
    await refusals('');
    const retention = new RefusalRetention(test.storage);
    const now = test.clock.now;
    await retention.run(now + 7 * DAY_MS - MINUTE_MS, () => false);
    expect((await refusals(`key=${id}`)).body).toHaveLength(10);
    await retention.run(now + 7 * DAY_MS + MINUTE_MS, () => false);
    const response = await refusals('');
    expect([response.body, omittedIn(response)]).toEqual([[], 0]);
  });

  it('keep the newest rows of an account, and count the others as omitted', async () => {
    test.clock.now += MINUTE_MS;
    const { id, key } = await createKey();
    await test.client.delete(`/api-keys/${id}`);
    for (let n = 0; n < 9; n++) {
      test.clock.now++;
      await validate(key);
    }
    const all = (await refusals(`key=${id}`)).body;
    await new RefusalRetention(test.storage, 4).run(test.clock.now, () => false);
    const response = await refusals(`key=${id}`);
    expect(response.body).toEqual(all.slice(0, 4));
    expect(omittedIn(response)).toBe(5);
  });
});

describe('a usage report', () => {
  let reports = 0;
  const report = (counts: object[], samples: object[], number = 1) =>
    test.client.post('/usage', {
      reporter: `reporter-of-refusals-${reports}`,
      number,
      agoMs: 0,
      counts,
      refusals: samples,
    });

  it('can contain samples, which are stored once', async () => {
    reports++;
    test.clock.now += MINUTE_MS;
    const { id } = await createKey();
    const counts = [{ keyId: id, outcome: 'rate_limited', count: 5 }];
    const sample = { keyId: id, code: 'rate_limited', agoMs: 250, limit: 'day', cost: 2 };
    const samples = [{ ...sample, clientIP: '192.0.2.7', origin: 'app.example.com' }, sample];
    for (let n = 0; n < 3; n++) expect((await report(counts, samples)).status).toBe(200);
    const response = await refusals(`key=${id}`);
    const time = new Date(test.clock.now - 250).toISOString();
    expect(response.body).toMatchObject([{ time }, { time }]);
    expect(response.body.map(({ clientIP }: { clientIP: string }) => clientIP).toSorted()).toEqual([
      '192.0.2.7',
      null,
    ]);
    // Five were counted, two came as samples.
    expect(omittedIn(response)).toBe(3);
  });

  it('is bounded like validations, and ignores keys of others', async () => {
    reports++;
    test.clock.now += MINUTE_MS;
    const theirs = await createOtherAccount(test);
    const foreign = (
      await theirs.client.post('/api-keys', { name: 'Theirs', projectId: theirs.projectId })
    ).body;
    const { id } = await createKey();
    const counts = [id, foreign.id].map((keyId) => ({ keyId, outcome: 'expired', count: 20 }));
    const samples = [id, foreign.id].flatMap((keyId) =>
      Array.from({ length: 15 }, () => ({ keyId, code: 'key_expired', agoMs: 0 })),
    );
    await report(counts, samples);
    const response = await refusals(`key=${id}`);
    expect([response.body.length, omittedIn(response)]).toEqual([10, 10]);
    expect((await refusals('', theirs.client)).body).toEqual([]);
  });

  it('stores no value that a faulty client sends in a sample', async () => {
    reports++;
    test.clock.now += MINUTE_MS;
    const { id, key } = await createKey();
    const sample = { keyId: id, code: 'key_expired', agoMs: 0, missing: [key], clientIP: 'x' };
    await report([{ keyId: id, outcome: 'expired', count: 1 }], [{ ...sample, origin: key }]);
    const { body, text } = await refusals(`key=${id}`);
    expect(body).toMatchObject([{ clientIP: null }]);
    expect(text).not.toContain(key.slice(0, 20));
  });

  it.each([
    ['too many samples', Array.from({ length: 101 }, () => ({}))],
    ['an unknown code', [{ code: 'key_not_found' }]],
    ['an unknown field', [{ key: 'x' }]],
  ])('with %s is a 400', async (_what, wrong) => {
    const sample = { keyId: 'key_x', code: 'key_expired', agoMs: 0 };
    const counts = [{ keyId: 'key_x', outcome: 'expired', count: 1 }];
    const samples = wrong.map((fields) => ({ ...sample, ...fields }));
    expect((await report(counts, samples)).status).toBe(400);
  });
});
