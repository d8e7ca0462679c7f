import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateValue } from '../../../src/kernel/secrets/key-values.ts';
import { START, startTestApp, type TestApp } from '../../harness/test-app.ts';
import type { TestClient } from '../../harness/test-client.ts';
import { createOtherAccount, type OtherAccount } from '../other-account.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

let test: TestApp;
let other: OtherAccount;
beforeAll(async () => {
  test = await startTestApp();
  other = await createOtherAccount(test);
});
afterAll(() => test.close());

const make = async (body: object, client = test.client) =>
  (await client.post('/api-keys', { name: 'Key', projectId: test.projectId, ...body })).body;
const validate = (key: string, client: TestClient = test.client, origin?: string) =>
  client.post(`/api-keys/auth/${key}`, undefined, origin ? { 'x-origin-domain': origin } : {});
const totals = async (query: string, client = test.client) => {
  await test.app.tally.flush();
  const { status, body } = await client.get(`/analytics/api-key-totals?${query}`);
  expect(status).toBe(200);
  return body;
};
const usage = async (query: string, client = test.client) => {
  await test.app.tally.flush();
  const { status, body } = await client.get(`/analytics/usage?${query}`);
  expect(status).toBe(200);
  return body;
};

describe('counted outcomes', () => {
  it('each outcome of a known key is counted for the key', async () => {
    const limited = await make({ rateLimitConfigs: { rateLimit: 2, rateLimitTtl: 60 } });
    for (let n = 0; n < 5; n++) await validate(limited.key);
    const revoked = await make({});
    await test.client.delete(`/api-keys/${revoked.id}`);
    await validate(revoked.key);
    const expiring = await make({ expiry: new Date(test.clock.now + 1).toISOString() });
    test.clock.now += 1;
    await validate(expiring.key);
    const bound = await make({ allowedDomains: ['example.com'] });
    await validate(bound.key, test.client, 'example.org');
    await validate(bound.key, test.client, 'example.com');
    const of = async ({ id }: { id: string }) =>
      (await usage(`groupBy=key&interval=month&key=${id}`)).at(-1);
    expect(await of(limited)).toMatchObject({ total: 5, valid: 2, rateLimited: 3 });
    expect(await of(revoked)).toMatchObject({ total: 1, valid: 0, revoked: 1 });
    expect(await of(expiring)).toMatchObject({ total: 1, expired: 1 });
    expect(await of(bound)).toMatchObject({ total: 2, valid: 1, domainDenied: 1 });
    const [row] = await totals(`key=${bound.id}`);
    expect(row).toMatchObject({ total: 2, valid: 1, rateLimited: 0, denied: 1 });
  });

  it('a key of an inactive project is counted as revoked', async () => {
    const project = (await test.client.post('/projects', { name: 'Deactivated' })).body;
    const key = await make({ projectId: project.id });
    await test.client.delete(`/projects/${project.id}`);
    expect((await validate(key.key)).body.code).toBe('key_project_inactive');
    expect((await usage(`groupBy=key&interval=day&key=${key.id}`)).at(-1)).toMatchObject({
      total: 1,
      revoked: 1,
    });
  });

  it('unknown keys and keys of another project are counted only for the access key', async () => {
    const project = (await test.client.post('/projects', { name: 'Asking' })).body;
    const access = (
      await test.client.post('/access-keys', { name: 'Guesser', projectId: project.id })
    ).body;
    const guesser = test.client.as(access.key);
    const outside = await make({ projectId: test.projectId });
    await validate(outside.key, guesser);
    await validate(generateValue('live_'), guesser);
    await guesser.post('/api-keys/auth', { keys: ['no value', 'nor this one'] });
    const rows = await usage('groupBy=accessKey&interval=day', guesser);
    expect(rows).toEqual([
      expect.objectContaining({ group: access.id, total: 4, unknown: 2, malformed: 2, valid: 0 }),
    ]);
    expect((await totals(`key=${outside.id}`))[0].total).toBe(0);
    const outcomes = await usage(
      `groupBy=outcome&interval=day&projectId=${project.id}&from=${iso(test.clock.now)}`,
    );
    expect(
      outcomes.map(({ group, total }: { group: string; total: number }) => [group, total]),
    ).toEqual([
      ['valid', 0],
      ['rate_limited', 0],
      ['revoked', 0],
      ['expired', 0],
      ['domain_denied', 0],
      ['not_started', 0],
      ['ip_denied', 0],
      ['permission_denied', 0],
      ['credits_exhausted', 0],
      ['unknown', 2],
      ['malformed', 2],
    ]);
  });

  it('belong to the exact minute of the validation', async () => {
    const key = await make({});
    test.clock.now = Math.ceil((test.clock.now + 1) / MINUTE) * MINUTE - 1;
    const last = test.clock.now;
    await validate(key.key);
    test.clock.now += 1;
    await validate(key.key);
    await validate(key.key);
    const rows = await usage(`groupBy=key&interval=minute&key=${key.id}&from=${iso(last)}`);
    expect(rows.map(({ date, total }: Row) => [date, total])).toEqual([
      [iso(last - MINUTE + 1), 1],
      [iso(last + 1), 2],
    ]);
  });
});

interface Row {
  date: string;
  total: number;
}
const iso = (ms: number) => new Date(ms).toISOString();

describe('access to usage', () => {
  it('another account sees nothing, in any format', async () => {
    const key = await make({ customAccountId: 'shared-customer', name: 'Only ours' });
    await validate(key.key);
    const { projectId } = other;
    const theirs = await make({ projectId, customAccountId: 'shared-customer' }, other.client);
    await validate(theirs.key, other.client);
    await test.app.tally.flush();
    for (const path of [
      '/analytics/api-key-totals',
      '/analytics/api-key-totals?sort=total',
      '/analytics/api-key-totals?dateGrouping=day&customAccountId=shared-customer',
      '/analytics/project-totals',
      '/analytics/project-totals?customAccountId=shared-customer',
      '/analytics/usage?groupBy=key&interval=day',
      '/analytics/usage?groupBy=customAccountId&interval=day',
      '/analytics/usage?groupBy=customAccountId&interval=day&sort=cost',
      '/analytics/usage?groupBy=plan&interval=day',
      '/analytics/usage?groupBy=plan&interval=day&sort=total',
      '/analytics/usage?groupBy=key&interval=day&planId=null',
      '/analytics/usage?groupBy=outcome&interval=day&outcome=valid',
      '/analytics/usage?groupBy=accessKey&interval=day',
    ]) {
      const { status, body, text } = await other.client.get(path);
      expect(status, path).toBe(200);
      expect(text, path).not.toContain('Only ours');
      expect(text, path).not.toContain(key.id);
      expect(text, path).not.toContain(test.projectId);
      const total = body.reduce((sum: number, row: Row) => sum + row.total, 0);
      expect(total, path).toBe(1);
    }
  });

  it('a project-level access key sees its project by default, and no other', async () => {
    const project = (await test.client.post('/projects', { name: 'Narrow' })).body;
    const { body } = await test.client.post('/access-keys', {
      name: 'Narrow',
      projectId: project.id,
    });
    const narrow = test.client.as(body.key);
    const inside = await make({ projectId: project.id });
    await validate(inside.key, narrow);
    expect((await totals('', narrow)).map(({ id }: { id: string }) => id)).toEqual([inside.id]);
    const projects = (await narrow.get('/analytics/project-totals')).body;
    expect(projects.map(({ id }: { id: string }) => id)).toEqual([project.id]);
    const refused = await narrow.get(`/analytics/project-totals?projectId=${test.projectId}`);
    expect(refused.status).toBe(404);
    expect(refused.body.code).toBe('project_not_found');
  });

  it('shows no value of a key', async () => {
    const key = await make({});
    const { text } = await test.client.get(`/analytics/api-key-totals?key=${key.key}`);
    expect(text).not.toContain(key.key);
  });
});

describe('usage of a customer', () => {
  it('is that of its keys, by its id or its customAccountId, whatever that is', async () => {
    for (const customAccountId of ['acme', '12']) {
      const { projectId } = test;
      const customer = (await test.client.post('/customers', { customAccountId, projectId })).body;
      const key = await make({ customAccountId });
      await validate(key.key);
      await validate(key.key);
      await validate((await make({})).key);
      await test.app.tally.flush();
      for (const path of [`${customer.id}?`, `${customAccountId}?projectId=${projectId}&`]) {
        const { body } = await test.client.get(
          `/customers/${path.replace('?', '/usage?')}groupBy=key&interval=day`,
        );
        expect(body.map(({ group, total }: Row & { group: string }) => [group, total])).toEqual([
          [key.id, 2],
        ]);
      }
    }
  });
});

describe('rejected queries', () => {
  const now = START + 400 * DAY;
  it.each([
    ['api-key-totals?dateGrouping=minute', /dateGrouping must be one of hour, day, week/],
    ['api-key-totals?sort=date', /sort must be one of total, name, lastUsedAt, cost/],
    ['api-key-totals?from=2030-02-30', /from must be an ISO 8601/],
    ['api-key-totals?from=2030-02-01&to=2030-01-01', /from must be before to/],
    ['api-key-totals?from=2030-02-01&to=2030-02-01', /from must be before to/],
    [
      'api-key-totals?dateGrouping=hour&from=2020-01-01',
      /dateGrouping=hour is available for the last 90 days/,
    ],
    ['api-key-totals?dateGrouping=day&from=1970-01-01', /at most 10,000 buckets of one day/],
    ['api-key-totals?from=1969-01-01', /from must not be before 1970/],
    ['api-key-totals?colour=red', /unknown parameter "colour"/],
    ['api-key-totals?cursor=bm9uZQ', /cursor/],
    ['project-totals?limit=0', /limit must be at least 1/],
    ['usage?groupBy=key', /interval is missing/],
    ['usage?groupBy=key&interval=day&sort=name', /sort/],
    ['usage?groupBy=outcome&interval=day&sort=total', /sort cannot be combined with groupBy=outc/],
    ['usage?groupBy=accessKey&interval=day&sort=cost', /sort cannot be combined/],
    ['usage?groupBy=plan&interval=day&sort=total&outcome=valid', /sort cannot be combined/],
    ['usage?groupBy=colour&interval=day', /groupBy must be one of key, customAccountId/],
    ['usage?groupBy=key&interval=year', /interval must be one of minute, hour, day, week, month/],
    ['usage?groupBy=key&interval=day&timezone=Mars/Olympus', /timezone must be the IANA name/],
    ['usage?groupBy=key&interval=day&timezone=%2B02:00', /timezone must be the IANA name/],
    ['usage?groupBy=key&interval=day&outcome=great', /outcome must be one of valid/],
    [
      `usage?groupBy=key&interval=minute&from=${iso(now - 365 * DAY)}`,
      /interval=minute is available for the last 48 hours/,
    ],
    [
      `usage?groupBy=key&interval=minute&from=${iso(now)}&to=${iso(now + 366 * DAY)}`,
      /at most 10,000 buckets of one minute/,
    ],
    [
      `usage?groupBy=key&interval=hour&from=${iso(now - 91 * DAY)}`,
      /interval=hour is available for the last 90 days/,
    ],
    [
      `usage?groupBy=key&interval=day&timezone=Asia/Tokyo&from=${iso(now - 91 * DAY)}`,
      /timezone=Asia\/Tokyo is available for the last 90 days/,
    ],
    [`usage?groupBy=key&interval=day&from=${iso(now + DAY)}`, /from must be before to/],
    [
      'usage?groupBy=accessKey&interval=day&customAccountId=x',
      /groupBy=accessKey cannot be combined/,
    ],
    [
      'usage?groupBy=outcome&interval=day&customUserId=x&outcome=unknown',
      /outcome=unknown cannot be combined with key, customAccountId, customUserId, planId, resource/,
    ],
    ['usage?groupBy=resource&interval=minute', /Usage by resource is not counted by minute/],
    ['usage?groupBy=key&interval=minute&resource=other', /is not counted by minute/],
    [
      'usage?groupBy=accessKey&interval=day&resource=other',
      /stored neither by key nor by resource/,
    ],
    ['usage?groupBy=resource&interval=day&outcome=unknown', /outcome=unknown cannot be combined/],
    ['usage?groupBy=outcome&interval=day&resource=a&outcome=malformed', /cannot be combined/],
    ['usage?groupBy=accessKey&interval=day&planId=null', /groupBy=accessKey cannot be combined/],
    [
      'usage?groupBy=outcome&interval=day&customAccountId=null&outcome=malformed',
      /outcome=malformed cannot be combined/,
    ],
  ])('%s', async (path, message) => {
    const before = test.clock.now;
    test.clock.now = now;
    const { status, body } = await test.client.get(`/analytics/${path}`);
    test.clock.now = before;
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: expect.stringMatching(message),
    });
  });

  it('a cursor of another order', async () => {
    const first = await test.client.get('/analytics/api-key-totals?limit=1');
    const cursor = /cursor=([^&>]+)/.exec(first.headers.get('link')!)![1];
    const response = await test.client.get(`/analytics/api-key-totals?sort=name&cursor=${cursor}`);
    expect(response.body).toMatchObject({ statusCode: 400, code: 'invalid_cursor' });
  });

  it('a query for an outcome that no key has returns no rows', async () => {
    expect(await usage('groupBy=key&interval=day&outcome=malformed')).toEqual([]);
  });
});

describe('a single key has a row for each bucket, used or not', () => {
  const later = async (ms: number, work: () => Promise<void>) => {
    const before = test.clock.now;
    test.clock.now += ms;
    await work().finally(() => {
      test.clock.now = before;
    });
  };

  it.each(['hour', 'day'])(
    'by %s up to now, however far `to` is in the future',
    async (grouping) => {
      const key = await make({});
      await later(3 * DAY, async () => {
        const open = await totals(`key=${key.id}&dateGrouping=${grouping}`);
        expect(Date.parse(open.at(-1).date)).toBeLessThanOrEqual(test.clock.now);
        expect(await totals(`key=${key.id}&dateGrouping=${grouping}&to=2099-12-31`)).toEqual(open);
      });
    },
  );

  it('by hour only as far back as hours are kept', async () => {
    const key = await make({});
    await validate(key.key);
    await test.app.tally.flush();
    await later(100 * DAY, async () => {
      const kept = Math.floor(test.clock.now / DAY) * DAY - 90 * DAY;
      const byHour = await totals(`key=${key.id}&dateGrouping=hour`);
      expect(byHour[0].date).toBe(iso(kept));
      const { body } = await test.client.get(
        `/analytics/project-totals?projectId=${test.projectId}&dateGrouping=hour`,
      );
      expect(body[0].date).toBe(iso(kept));
      const byDay = await totals(`key=${key.id}&dateGrouping=day`);
      expect(byDay[0]).toMatchObject({ total: 1 });
      expect(Date.parse(byDay[0].date)).toBeLessThan(kept);
    });
  });

  it('and a query for more than 10,000 is rejected, also without `from`', async () => {
    const key = await make({});
    await later(10_001 * DAY, async () => {
      const query = `key=${key.id}&dateGrouping=day`;
      for (const more of ['', '&limit=5', '&to=9999-12-31']) {
        const { status, body } = await test.client.get(`/analytics/api-key-totals?${query}${more}`);
        expect({ status, message: body.message }, more).toEqual({
          status: 400,
          message: expect.stringMatching(/more than 10,000 buckets/),
        });
      }
      const from = iso(test.clock.now - 2 * DAY);
      expect(await totals(`${query}&from=${from}`)).toHaveLength(3);
    });
  });
});

describe('CSV', () => {
  it('is RFC 4180 with a header row, and no name becomes a formula', async () => {
    const key = await make({ name: '=HYPERLINK("https://evil.example", "x")' });
    await validate(key.key);
    await test.app.tally.flush();
    const { text, headers } = await test.client.get(`/analytics/api-key-totals?key=${key.id}`, {
      accept: 'text/csv',
    });
    expect(headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/);
    const [heading, line, end] = text.split('\r\n');
    expect(heading).toBe(
      'id,key,name,customAccountId,customUserId,env,date,total,valid,rateLimited,denied,firstUsedAt,lastUsedAt,cost',
    );
    expect(line).toContain(`,"'=HYPERLINK(""https://evil.example"", ""x"")",,,live,,1,1,0,0,`);
    expect(end).toBe('');
  });

  it('without rows is the header row', async () => {
    const { text } = await test.client.get(
      '/analytics/usage?groupBy=key&interval=day&outcome=malformed',
      { accept: 'text/csv' },
    );
    expect(text).toBe(
      'group,name,date,total,valid,rateLimited,revoked,expired,domainDenied,unknown,malformed,notStarted,ipDenied,permissionDenied,creditsExhausted,cost\r\n',
    );
  });

  it('returns JSON if the client prefers it', async () => {
    const { headers } = await test.client.get('/analytics/project-totals', {
      accept: 'application/json, text/csv',
    });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  });
});

describe('erasing a key', () => {
  it('deletes its counts; its project keeps the sum', async () => {
    const project = (await test.client.post('/projects', { name: 'Keeps' })).body;
    const key = await make({ projectId: project.id });
    await validate(key.key);
    await test.app.tally.flush();
    await test.client.delete(`/api-keys/${key.id}?permanent=true`);
    // A later roll-up must not restore counts of the erased key.
    test.clock.now += 2 * DAY;
    await test.app.usageMaintenance.run();
    expect(await totals(`projectId=${project.id}`)).toEqual([]);
    const days = await test.storage.point
      .selectFrom('usage_days')
      .leftJoin('api_keys', 'api_keys.seq', 'usage_days.seq')
      .where('api_keys.id', 'is', null)
      .select('usage_days.seq')
      .execute();
    expect(days).toEqual([]);
    const { body } = await test.client.get(`/analytics/project-totals?projectId=${project.id}`);
    expect(body[0].total).toBe(1);
  });
});

describe('an offset', () => {
  const QUERIES = [
    ...['groupBy=key&interval=day', 'groupBy=key&interval=day&sort=total'],
    ...['groupBy=customUserId&interval=month', 'groupBy=customUserId&interval=day'],
    ...['groupBy=customAccountId&interval=day&sort=total', 'groupBy=plan&interval=day'],
    ...['groupBy=outcome&interval=day', 'groupBy=accessKey&interval=day'],
  ].map((query) => `/analytics/usage?${query}`);
  const TOTALS = ['', 'sort=total', 'sort=name', 'sort=lastUsedAt', 'dateGrouping=day'].flatMap(
    (query) => [`/analytics/api-key-totals?${query}`, `/analytics/project-totals?${query}`],
  );
  beforeAll(async () => {
    const keys: { key: string }[] = [];
    for (let n = 0; n < 6; n++)
      keys.push(
        await make({
          ...(n % 2 === 0 && { customUserId: `skipped-${n}`, customAccountId: `${n}` }),
        }),
      );
    for (let day = 0; day < 3; day++) {
      for (const { key } of keys.slice(day)) await validate(key);
      test.clock.now += DAY;
    }
    await test.app.tally.flush();
  });

  it.each([...QUERIES, ...TOTALS])('of %s skips rows, also within a group', async (path) => {
    const whole = (await test.client.get(path)).body;
    expect(whole.length).toBeGreaterThan(0);
    const offsets = [0, 1, 2, 3, 5, 8, whole.length - 1, whole.length, whole.length + 1];
    for (const offset of offsets) {
      const { body, headers } = await test.client.get(`${path}&limit=2&offset=${offset}`);
      expect(body).toEqual(whole.slice(offset, offset + 2));
      expect(headers.get('link') !== null).toBe(offset + 2 < whole.length);
    }
    expect((await test.client.get(`${path}&offset=2`)).body).toEqual(whole.slice(2));
  });
});
