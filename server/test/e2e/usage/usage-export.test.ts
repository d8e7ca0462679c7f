// 5 s of CPU: an export of many rows, in pages.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketsOf } from '../../../src/features/analytics/queries/calendar.ts';
import { exportSource } from '../../../src/features/analytics/queries/export.ts';
import { listSeries } from '../../../src/features/analytics/queries/series.ts';
import { scaled } from '../../harness/scale.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const DAY = 86_400_000;
const KEYS = scaled(20_000, 1_000);
const DAYS = 10;

let test: TestApp;
let project: string;
let first: number;
/** Keys of the newest project, newest first. */
let keyIds: string[];

beforeAll(async () => {
  test = await startTestApp();
  const body = { name: 'Exported', resources: ['POST:*'], units: ['tokens'] };
  project = (await test.client.post('/projects', body)).body.id;
  first = Math.floor(test.clock.now / DAY) * DAY;
  await addKeys();
  test.clock.now += DAYS * DAY;
});
afterAll(() => test.close());

/** Keys with a customer, except each tenth, that were used on each of the days. */
async function addKeys(): Promise<void> {
  await test.client.post('/api-keys', { name: 'Model', projectId: project });
  const { storage } = test;
  await storage.transaction(async (tx) => {
    const model = await tx
      .selectFrom('api_keys')
      .selectAll()
      .where('project_id', '=', project)
      .executeTakeFirstOrThrow();
    const { seq: _, ...row } = model;
    for (let n = 0; n < KEYS; n++)
      await tx
        .insertInto('api_keys')
        .values({
          ...row,
          id: idOf(n),
          hash: `hash ${n}`,
          custom_account_id: n % 10 === 0 ? null : `customer ${n % 7}`,
        })
        .execute();
    for (let day = 0; day < DAYS; day++)
      await sql`insert into usage_days (seq, start, valid, rate_limited, revoked, expired, domain_denied,
          not_started, ip_denied, permission_denied, credits_exhausted, extra_cost)
        select seq, ${first + day * DAY}, 2, 1, 0, 0, 0, 0, 0, 0, 0, 5 from api_keys
        where name = 'Model' and id < 'key_01'`.execute(tx);
    await sql`update usage_watermarks set rolled_until = ${first + DAYS * DAY}, cursor = 0
      where level like 'key %' and level <> 'key journal'`.execute(tx);
  });
  const { body } = await test.client.get(`/api-keys?projectId=${project}`);
  keyIds = body.map(({ id }: { id: string }) => id);
}

const idOf = (n: number): string => `key_${String(n).padStart(26, '0')}`;
let reports = 0;

const iso = (ms: number): string => new Date(ms).toISOString();
const pathOf = (groupBy: string, more = ''): string =>
  `/analytics/usage/export?groupBy=${groupBy}&projectId=${project}&from=${iso(first)}&to=${iso(first + DAYS * DAY)}${more}`;

interface Row {
  readonly keyId: string | null;
  readonly customAccountId: string | null;
  readonly start: string;
  readonly total: number;
  readonly cursor: string;
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const rowsOf = (text: string): Row[] => linesOf(text).map((line) => JSON.parse(line));

describe('an export', () => {
  it('has a row for each key and day that was used, with ids only, newest key first', async () => {
    const { text, headers } = await test.client.get(pathOf('key', '&format=ndjson'));
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const rows = rowsOf(text);
    const used = keyIds.filter((id) => id < 'key_01');
    expect(rows.map(({ keyId, start }) => `${keyId} ${start}`)).toEqual(
      used.flatMap((id) => Array.from({ length: DAYS }, (_, n) => `${id} ${iso(first + n * DAY)}`)),
    );
    const { cursor, ...row } = rows[0]!;
    expect(row).toEqual({
      projectId: project,
      keyId: used[0],
      customAccountId: null,
      resource: null,
      start: iso(first),
      end: iso(first + DAY),
      total: 3,
      valid: 2,
      rateLimited: 1,
      ...{ revoked: 0, expired: 0, domainDenied: 0, notStarted: 0, ipDenied: 0 },
      ...{ permissionDenied: 0, creditsExhausted: 0 },
      cost: 7,
    });
    expect(cursor).not.toBe(rows[1]!.cursor);
  });

  it('goes on after any row, also by pages', async () => {
    const { text } = await test.client.get(pathOf('key', '&format=ndjson'));
    const lines = linesOf(text);
    for (const at of [0, DAYS - 1, DAYS, Math.floor(lines.length / 2), lines.length - 1]) {
      const { cursor } = JSON.parse(lines[at]!) as Row;
      const rest = await test.client.get(pathOf('key', `&format=ndjson&cursor=${cursor}`));
      expect(linesOf(rest.text)).toEqual(lines.slice(at + 1));
    }
    const paged: unknown[] = [];
    for (let next: string | undefined = pathOf('key', '&limit=777'); next !== undefined; ) {
      const { body, headers } = await test.client.get(next);
      paged.push(...body);
      next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(paged).toEqual(rowsOf(text));
  });

  it.each(['key', 'customer', 'project', 'resource'])(
    'by %s of a closed period is the same when it is repeated',
    async (groupBy) => {
      for (const format of ['csv', 'ndjson']) {
        const path = pathOf(groupBy, `&format=${format}`);
        const before = await test.client.get(path);
        const { body } = await test.client.post('/api-keys', { name: 'New', projectId: project });
        for (const keyId of [body.id, idOf(7)])
          await test.client.post('/usage', {
            reporter: 'reporter-of-the-export',
            number: ++reports,
            agoMs: 0,
            counts: [{ keyId, outcome: 'valid', count: 1 }],
          });
        expect((await test.client.get(path)).text).toBe(before.text);
        expect(before.status).toBe(200);
      }
    },
  );

  it('by customer leaves out keys without one', async () => {
    const rows = rowsOf((await test.client.get(pathOf('customer', '&format=ndjson'))).text);
    expect(rows).toHaveLength(7 * DAYS);
    expect(rows.every(({ customAccountId, keyId }) => customAccountId && keyId === null)).toBe(
      true,
    );
    const total = rows.reduce((sum, row) => sum + row.total, 0);
    expect(total).toBe(3 * DAYS * (KEYS - KEYS / 10));
  });

  it('has the same columns, whatever was used', async () => {
    const { text } = await test.client.get(pathOf('key', '&format=csv&limit=1'));
    expect(text.split('\r\n')[0]).toBe(
      'projectId,keyId,customAccountId,resource,start,end,total,valid,rateLimited,revoked,expired,domainDenied,notStarted,ipDenied,permissionDenied,creditsExhausted,cost,units,cursor',
    );
  });

  it('ends a page after some keys, used or not, and goes on behind them', async () => {
    const { read } = test.storage;
    const bucketAt = bucketsOf('day', 'UTC');
    const fill = { from: null, until: 0 };
    const { accountId } = test;
    const anyone = { customAccountId: undefined, customUserId: undefined, planId: undefined };
    const filter = { accountId, projectId: project, keySeq: null, ...anyone };
    const pagesOf = async (from: number, until: number) => {
      const range = { from, until, grain: 'days' as const, asOne: false, bucketAt, fill };
      const source = exportSource(read, 'key', { filter, range, pageSize: 100 });
      const rest = { bucketAt, fill: null, hasUnits: false, rowsPerSeries: 9, limit: 1_000_000 };
      const query = { ...rest, range, seriesMax: 300, offset: 0, withCursors: true };
      const pages: unknown[][] = [];
      for (let cursor: string | undefined; ; ) {
        const { slices } = await listSeries(read, source, { ...query, cursor });
        cursor = undefined;
        const rows: unknown[] = [];
        for await (const { length, item, endsPageAt } of slices) {
          for (let n = 0; n < length; n++) rows.push(item(n));
          cursor = endsPageAt;
        }
        pages.push(rows);
        if (cursor === undefined) return pages;
      }
    };
    const unused = await pagesOf(first - 9 * DAY, first);
    expect(unused.length).toBeGreaterThanOrEqual(Math.floor(KEYS / 300));
    expect(unused.flat()).toEqual([]);
    const whole = rowsOf((await test.client.get(pathOf('key', '&format=ndjson'))).text);
    const used = await pagesOf(first, first + DAYS * DAY);
    expect(used.length).toBe(unused.length);
    expect(used.flat()).toEqual(whole);
  });

  it.each([
    [`groupBy=key&from=2030-01-01&to=2030-02-01`, 'Set projectId', 400],
    [`groupBy=plan&from=2030-01-01&to=2030-02-01`, 'groupBy must be one of key', 400],
    [`groupBy=project&from=2030-02-01&to=2030-01-01`, 'from must be before to', 400],
    [`groupBy=project&interval=minute&from=2030-01-01&to=2030-02-01`, 'interval must be', 400],
    [`groupBy=project&interval=hour&from=2001-01-01&to=2001-02-01`, 'last 90 days', 400],
    [`groupBy=project&from=2030-01-01`, 'to', 400],
  ])('refuses %s', async (query, message, status) => {
    const response = await test.client.get(`/analytics/usage/export?${query}`);
    expect([response.status, response.body.message]).toEqual([
      status,
      expect.stringContaining(message),
    ]);
  });
});

it('the cursor of another export is refused', async () => {
  const { body } = await test.client.get(pathOf('key', '&limit=1'));
  const refused = await test.client.get(pathOf('customer', `&cursor=${body[0].cursor}`));
  expect(refused.body.code).toBe('invalid_cursor');
});

it('a whole list is read by itself, and its client may leave at any time', async () => {
  const controller = new AbortController();
  const response = await fetch(`${test.url}${pathOf('key', '&format=ndjson')}`, {
    headers: { 'x-api-key': test.accessKey },
    signal: controller.signal,
  });
  const { value } = await response.body!.getReader().read();
  controller.abort();
  const lines = linesOf(new TextDecoder().decode(value)).slice(0, -1);
  const { cursor } = JSON.parse(lines.at(-1)!) as Row;
  const rest = await test.client.get(pathOf('key', `&format=ndjson&cursor=${cursor}`));
  const whole = await test.client.get(pathOf('key', '&format=ndjson'));
  expect([...lines, ...linesOf(rest.text)]).toEqual(linesOf(whole.text));
});
