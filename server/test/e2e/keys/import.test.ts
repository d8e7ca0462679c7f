import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateValue } from '../../../src/kernel/secrets/key-values.ts';
import { START, startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';

let test: TestApp;

beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const sha256 = (value: string, form: 'hex' | 'base64' | 'base64url') =>
  createHash('sha256').update(value).digest(form);

const send = (keys: readonly unknown[], more: object = {}) =>
  test.client.post('/api-keys/import', { keys, ...more });

const validate = (value: string) => test.client.post(`/api-keys/auth/${value}`);

const countOf = async (table: 'api_keys' | 'audit_log') => {
  const { count } = await test.storage.point
    .selectFrom(table)
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
};

describe('imported keys', () => {
  it('with values work immediately, with all fields of the row', async () => {
    const [row] = (
      await send([
        {
          name: 'Ada',
          key: 'sk_live_4xAda0001',
          customMetaData: { plan: 'pro' },
          customAccountId: 'acme',
          customUserId: 'ada',
          expiresAt: '2031-01-01',
          rateLimitConfigs: { rateLimit: 10, rateLimitTtl: 60 },
          createdAt: '2021-05-04T03:02:01Z',
        },
      ])
    ).body.results;
    expect(row).toEqual({ index: 0, status: 'imported', id: expect.stringMatching(/^key_/) });
    const response = await validate('sk_live_4xAda0001');
    expect(response.status).toBe(200);
    expect(response.headers.get('ratelimit-limit')).toBe('10');
    expect(response.body).toMatchObject({
      id: row.id,
      key: 'sk_l*********',
      name: 'Ada',
      customMetaData: { plan: 'pro' },
      customAccountId: 'acme',
      customUserId: 'ada',
      expiresAt: '2031-01-01T00:00:00.000Z',
      createdAt: '2021-05-04T03:02:01.000Z',
      isActive: true,
    });
    expect(response.text).not.toContain('4xAda0001');
  });

  it.each(['hex', 'base64', 'base64url'] as const)('as SHA-256 in %s work', async (form) => {
    const value = `from-elsewhere-${form}`;
    const { body } = await send([
      { name: form, keyHash: sha256(value, form), prefix: 'from-el' },
      { name: form, keyHash: sha256(`${value}-bare`, form).replace('=', '') },
    ]);
    expect(body.results.map(({ status }: { status: string }) => status)).toEqual([
      'imported',
      'imported',
    ]);
    expect((await validate(value)).body).toMatchObject({ key: 'from-el*********' });
    expect((await validate(`${value}-bare`)).body).toMatchObject({ key: '*********' });
    expect((await validate(sha256(value, 'hex'))).status).toBe(404);
  });

  it('as value and as hash are the same key', async () => {
    const value = 'the-same-in-two-forms';
    const { results } = (await send([{ name: 'one', key: value }])).body;
    for (const keyHash of [sha256(value, 'hex').toUpperCase(), sha256(value, 'base64url')])
      expect((await send([{ name: 'other', keyHash }])).body.results).toEqual([
        { index: 0, status: 'exists', id: results[0].id },
      ]);
    expect((await validate(value)).body.name).toBe('one');
  });

  it('that are revoked or expired stay so, and are reported as such', async () => {
    await send([
      { name: 'revoked', key: 'imported-revoked', isActive: false },
      { name: 'expired', key: 'imported-expired', expiry: '2020-01-01' },
    ]);
    expect((await validate('imported-revoked')).body.code).toBe('key_revoked');
    expect((await validate('imported-expired')).body.code).toBe('key_expired');
  });

  it('may have a value that Keyward generated', async () => {
    const value = generateValue('live_');
    await send([{ name: 'moved from another installation', key: value }]);
    expect((await validate(value)).status).toBe(200);
  });
});

describe('a refused row', () => {
  const value = 'a-secret-that-must-not-appear';
  const cases: readonly [string, unknown, string, RegExp][] = [
    ['is not an object', value, 'invalid_body', /^The row must be an object/],
    ['is null', null, 'invalid_body', /^The row must be an object/],
    ['has no name', { key: value }, 'invalid_body', /^name is missing/],
    ['has neither key nor hash', { name: 'x' }, 'invalid_body', /either key or keyHash/],
    [
      'has both key and hash',
      { name: 'x', key: value, keyHash: sha256(value, 'hex') },
      'invalid_body',
      /either key or keyHash/,
    ],
    ['has a short key', { name: 'x', key: 'short' }, 'invalid_body', /^key must have at least 8/],
    [
      'has a key with invalid characters',
      { name: 'x', key: `${value}+/=` },
      'invalid_body',
      /^key may/,
    ],
    [
      'has a generated value with a wrong checksum',
      { name: 'x', key: `live_${'A'.repeat(49)}` },
      'invalid_key_value',
      /checksum/,
    ],
    ['has an id as key', { name: 'x', key: `key_${'0'.repeat(26)}` }, 'invalid_key_value', /id/],
    [
      'has a hash of 31 bytes',
      { name: 'x', keyHash: `${sha256(value, 'hex').slice(2)}` },
      'invalid_key_value',
      /SHA-256/,
    ],
    [
      'has an MD5',
      { name: 'x', keyHash: 'd41d8cd98f00b204e9800998ecf8427e' },
      'invalid_body',
      /43/,
    ],
    [
      'has a hash with extra bits',
      { name: 'x', keyHash: `${'A'.repeat(42)}B` },
      'invalid_key_value',
      /SHA-256/,
    ],
    ['has a prefix with a key', { name: 'x', key: value, prefix: 'a' }, 'invalid_body', /^prefix/],
    ['has an unknown field', { name: 'x', key: value, env: 'live' }, 'invalid_body', /"env"/],
    [
      'has two expiries',
      { name: 'x', key: value, expiry: '2031-01-01', expiresAt: '2031-01-02' },
      'invalid_body',
      /expiry and expiresAt differ/,
    ],
    ['has an invalid expiry', { name: 'x', key: value, expiry: 'soon' }, 'invalid_body', /^expiry/],
    [
      'was created in the future',
      { name: 'x', key: value, createdAt: '2030-01-01T00:00:01Z' },
      'invalid_body',
      /^createdAt must not/,
    ],
    [
      'has an invalid time',
      { name: 'x', key: value, createdAt: 'then' },
      'invalid_body',
      /^createdAt/,
    ],
    [
      'has an incomplete limit',
      { name: 'x', key: value, rateLimitConfigs: { rateLimit: 1 } },
      'invalid_body',
      /rateLimitTtl/,
    ],
    [
      'has an invalid domain',
      { name: 'x', key: value, allowedDomains: ['https://a.example'] },
      'invalid_body',
      /host name/,
    ],
    [
      'has too much metadata',
      { name: 'x', key: value, customMetaData: { text: 'x'.repeat(16_384) } },
      'invalid_body',
      /16 KB/,
    ],
    [
      'names an unknown project',
      { name: 'x', key: value, projectId: `prj_${'0'.repeat(26)}` },
      'project_not_found',
      /no such project/,
    ],
  ];

  it.each(cases)('%s: the other rows are imported', async (why, row, code, message) => {
    const before = await countOf('api_keys');
    const neighbours = ['before', 'after'].map((place) => ({
      name: place,
      key: `${place}-${why.replaceAll(/\W/g, '.')}`,
    }));
    const { status, body, text } = await send([neighbours[0], row, neighbours[1]]);
    expect(status).toBe(200);
    expect(body.results[1]).toEqual({
      index: 1,
      status: 'refused',
      code,
      message: expect.stringMatching(message),
    });
    expect([body.results[0].status, body.results[2].status]).toEqual(['imported', 'imported']);
    expect(text).not.toContain(value);
    expect(await countOf('api_keys')).toBe(before + 2);
  });

  it('repeats a row of the same request', async () => {
    const key = 'twice-in-one-call';
    const rows = [
      { name: 'a', key },
      { name: 'b', keyHash: sha256(key, 'hex') },
    ];
    const { results } = (await send(rows)).body;
    expect(results[1]).toMatchObject({ status: 'refused', code: 'key_exists' });
    expect((await validate(key)).body.name).toBe('a');
  });

  it('has a value that exists in another project of the account', async () => {
    const { id } = (await test.client.post('/projects', { name: 'Second' })).body;
    const mine = { projectId: test.projectId };
    await send([{ name: 'x', key: 'key-of-the-first' }], mine);
    const { results } = (await send([{ name: 'x', key: 'key-of-the-first' }], { projectId: id }))
      .body;
    expect(results).toEqual([
      { index: 0, status: 'refused', code: 'key_exists', message: expect.any(String) },
    ]);
    // With two projects, a row must name one.
    expect((await send([{ name: 'x', key: 'without-a-project' }])).body.results[0].code).toBe(
      'project_required',
    );
    await test.client.delete(`/projects/${id}`);
    expect(
      (await send([{ name: 'x', key: 'into-inactive', projectId: id }], mine)).body.results[0].code,
    ).toBe('project_inactive');
  });
});

describe('an import request', () => {
  it('sent again changes nothing and adds no audit row', async () => {
    const keys = Array.from({ length: 1000 }, (_, n) => ({ name: 'many', key: `many-key-${n}` }));
    const first = await send(keys);
    expect(first.body.results).toHaveLength(1000);
    const before = [await countOf('api_keys'), await countOf('audit_log')];
    const second = await send(keys);
    expect(second.body.results.every((row: { status: string }) => row.status === 'exists')).toBe(
      true,
    );
    expect(second.body.results.map(({ id }: { id: string }) => id)).toEqual(
      first.body.results.map(({ id }: { id: string }) => id),
    );
    expect([await countOf('api_keys'), await countOf('audit_log')]).toEqual(before);
  });

  it('with dryRun writes nothing, and returns the same results', async () => {
    const before = [await countOf('api_keys'), await countOf('audit_log')];
    const rows = [
      { name: 'new', key: 'tried-and-not-kept' },
      { name: 'there', key: 'many-key-7' },
      { name: 'wrong', key: 'no' },
    ];
    const { body } = await send(rows, { dryRun: true });
    expect(body.results.map(({ status }: { status: string }) => status)).toEqual([
      'importable',
      'exists',
      'refused',
    ]);
    expect([await countOf('api_keys'), await countOf('audit_log')]).toEqual(before);
    expect((await validate('tried-and-not-kept')).status).toBe(404);
  });

  it('is one audit row, with the id that its keys refer to', async () => {
    const keys = ['a', 'b', 'c'].map((name) => ({ name, key: `audited-import-${name}` }));
    const response = await send(keys);
    const { importId, results } = response.body;
    const rows = (await test.client.get(`/audit-logs?target=${importId}`)).body;
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      action: 'api-key.imported',
      targetType: 'api-key',
      projectId: test.projectId,
      after: { importId, keys: 3, firstId: results[0].id, lastId: results[2].id },
    });
    expect(JSON.stringify(rows)).not.toContain('audited-import');
    const key = (await test.client.get(`/api-keys/${results[1].id}`)).body;
    expect(key.creationContext).toEqual({ importId });
    const more = await send([{ name: 'd', key: 'audited-import-d' }], { importId });
    expect(more.body.importId).toBe(importId);
    expect((await test.client.get(`/audit-logs?target=${importId}`)).body).toHaveLength(2);
  });

  it('emits events only on request', async () => {
    // Keys of other tests may emit first-use events at the same time.
    const eventCount = async () => {
      const query = test.storage.point.selectFrom('events').select('id');
      return (await query.where('type', '=', 'api-key.created').execute()).length;
    };
    const before = await eventCount();
    await send([{ name: 'quiet', key: 'imported-quietly' }]);
    expect(await eventCount()).toBe(before);
    await test.client.post('/webhooks', {
      name: 'Hook',
      url: 'https://hooks.example/keys',
      topics: ['api-key.created'],
    });
    await send([{ name: 'with event', key: 'imported-with-event' }], { events: true });
    expect(await eventCount()).toBe(before + 1);
  });

  it('may be larger than other requests, up to a megabyte and 1,000 rows', async () => {
    const text = 'x'.repeat(15_000);
    const keys = Array.from({ length: 60 }, (_, n) => ({
      name: 'large',
      key: `large-row-${n}`,
      customMetaData: { text },
    }));
    expect((await send(keys)).status).toBe(200);
    const more = keys.concat(keys.map((row) => ({ ...row, key: `${row.key}-more` })));
    expect((await send(more)).body.code).toBe('body_too_large');
    const tooMany = Array.from({ length: 1001 }, () => ({}));
    expect((await send(tooMany)).body.code).toBe('invalid_body');
    expect((await send([], { importId: 'imp_x' })).body.code).toBe('invalid_body');
  });

  it('sent twice at the same time imports each key once', async () => {
    const keys = Array.from({ length: 300 }, (_, n) => ({ name: 'race', key: `raced-key-${n}` }));
    const responses = await Promise.all([send(keys), send(keys.toReversed()), send(keys)]);
    const statuses = responses.flatMap(({ body }) =>
      body.results.map(({ status }: { status: string }) => status),
    );
    expect(statuses.filter((status) => status === 'imported')).toHaveLength(300);
    expect(statuses.filter((status) => status === 'exists')).toHaveLength(600);
  });
});

it('an import does not affect other accounts', async () => {
  const other = await createOtherAccount(test);
  const value = 'known-to-both-accounts';
  const theirs = (await other.client.post('/api-keys', { name: 'theirs', key: value })).body;
  expect((await send([{ name: 'mine', key: value }])).body.results[0].status).toBe('imported');
  expect((await send([{ name: 'x', key: 'x-marks-it', projectId: other.projectId }])).body.results)
    // As if the project did not exist.
    .toEqual([
      { index: 0, status: 'refused', code: 'project_not_found', message: expect.any(String) },
    ]);
  expect((await other.client.post(`/api-keys/auth/${value}`)).body).toMatchObject({
    id: theirs.id,
    name: 'theirs',
    createdAt: new Date(START).toISOString(),
  });
  expect((await other.client.get('/api-keys')).body).toHaveLength(1);
});
