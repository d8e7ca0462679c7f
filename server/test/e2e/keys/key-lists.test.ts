import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

const DAY = 86_400_000;

let test: TestApp;
/** Keys as the API shows them, oldest first. */
let keys: Key[];
const values: string[] = [];
const at = (days: number) => new Date(test.clock.now + days * DAY).toISOString();

beforeAll(async () => {
  test = await startTestApp();
  const other = await createOtherAccount(test);
  await other.client.post('/api-keys', { name: 'Acme of somebody else' });
  const bodies = [
    { name: 'Acme, production', customAccountId: 'cus_100%' },
    { name: 'acme, staging', expiry: at(3) },
    {
      name: 'Globex',
      customUserId: 'USR_acme',
      rateLimitConfigs: { rateLimit: 5, rateLimitTtl: 60 },
    },
    {
      name: 'Ünited',
      expiry: at(40),
      limits: [{ name: 'day', rateLimit: 5, rateLimitTtl: 86_400 }],
    },
    { name: 'Globex', expiry: at(3) },
    { name: 'cus_100x', limits: [] },
  ];
  for (const body of bodies) {
    const { body: made } = await test.client.post('/api-keys', body);
    values.push(made.key);
  }
  for (const used of [4, 1]) {
    test.clock.now += 60_000;
    await test.client.post('/api-keys/auth', { key: values[used] });
  }
  await test.app.tally.flush();
  keys = (await test.client.get('/api-keys')).body.toReversed();
});
afterAll(() => test.close());

const list = async (query: string): Promise<Key[]> =>
  (await test.client.get(`/api-keys?${query}`)).body;
const positions = (listed: Key[]) => listed.map(({ id }) => keys.findIndex((key) => key.id === id));

describe('search', () => {
  it.each([
    ['ACME', [2, 1, 0]],
    ['globex', [4, 2]],
    ['cus_100%25', [0]],
    ['cus_100', [5, 0]],
    ['%25', [0]],
    ['usr_', [2]],
    ['ÜNITED', [3]],
    ['nobody', []],
    ["'%20or%201=1--", []],
  ])('for %s finds keys that contain it literally, without patterns', async (text, expected) => {
    expect(positions(await list(`search=${text}`))).toEqual(expected);
  });

  it('finds a key by its id and by the start of its value', async () => {
    expect(positions(await list(`search=${keys[3]!.id}`))).toEqual([3]);
    expect(positions(await list(`search=${values[2]!.slice(0, 11)}`))).toEqual([2]);
    expect(positions(await list(`search=${values[2]!.slice(0, 11).toUpperCase()}`))).toContain(2);
  });

  it('combines with the other filters', async () => {
    expect(positions(await list('search=globex&limited=true'))).toEqual([2]);
    expect(positions(await list('search=globex&limited=false'))).toEqual([4]);
  });
});

it('the filter `limited` counts either kind of limit', async () => {
  expect(positions(await list('limited=true'))).toEqual([3, 2]);
  expect(positions(await list('limited=false'))).toEqual([5, 4, 1, 0]);
});

it('a boolean may be written as in Python', async () => {
  expect(await list('isActive=False')).toEqual([]);
  expect(positions(await list('isActive=True&name=Globex'))).toEqual([4, 2]);
});

describe('count', () => {
  const count = async (query: string) => (await test.client.get(`/api-keys/count?${query}`)).body;

  it.each(['', 'search=ACME', 'search=globex&limited=true', 'name=Globex', 'customUserId=null'])(
    'is the length of the list with the same filters: %s',
    async (query) => {
      const listed = await list(query);
      expect(await count(query)).toEqual({ count: listed.length, isExact: true });
    },
  );

  it('takes filters only', async () => {
    const { status, body } = await test.client.get('/api-keys/count?limit=1');
    expect([status, body.code]).toEqual([400, 'invalid_query']);
  });
});

describe('times', () => {
  it('find keys that expire before or after a time', async () => {
    expect(positions(await list(`expiresBefore=${at(10)}`))).toEqual([4, 1]);
    expect(positions(await list(`expiresAfter=${at(10)}`))).toEqual([5, 3, 2, 0]);
    expect(positions(await list(`expiresAfter=${at(1)}&expiresBefore=${at(50)}`))).toEqual([
      4, 3, 1,
    ]);
  });

  it('that are invalid are a 400 that names the field', async () => {
    const { status, body } = await test.client.get('/api-keys?expiresBefore=soon');
    expect([status, body.code]).toEqual([400, 'invalid_query']);
    expect(body.message).toContain('expiresBefore');
  });
});

describe('sort', () => {
  const orders: [string, number[]][] = [
    ['sort=createdAt', [5, 4, 3, 2, 1, 0]],
    ['sort=createdAt&order=ascending', [0, 1, 2, 3, 4, 5]],
    ['sort=name', [0, 2, 4, 1, 5, 3]],
    ['sort=name&order=descending', [3, 5, 1, 4, 2, 0]],
    ['sort=expiresAt', [1, 4, 3, 0, 2, 5]],
    ['sort=expiresAt&order=descending', [3, 4, 1, 5, 2, 0]],
    ['sort=lastUsedAt', [1, 4, 5, 3, 2, 0]],
    ['sort=lastUsedAt&order=ascending', [4, 1, 0, 2, 3, 5]],
  ];

  it.each(orders)(
    '%s lists each key once, in one response and in pages of any size',
    async (query, expected) => {
      expect(positions(await list(query))).toEqual(expected);
      for (const limit of [1, 2, 4]) {
        const seen: Key[] = [];
        for (let next: string | undefined = `/api-keys?${query}&limit=${limit}`; next; ) {
          const { body, headers } = await test.client.get(next);
          seen.push(...body);
          next = /^<([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
        }
        expect(positions(seen)).toEqual(expected);
      }
    },
  );

  it('rejects a cursor of another order, and a made-up one', async () => {
    const { headers } = await test.client.get('/api-keys?sort=name&limit=1');
    const cursor = /cursor=([^&>]+)/.exec(headers.get('link')!)![1];
    const made = Buffer.from('["expiresAt up","text","key_x"]').toString('base64url');
    for (const query of [
      `cursor=${cursor}`,
      `sort=expiresAt&cursor=${cursor}`,
      `sort=expiresAt&cursor=${made}`,
    ]) {
      const { status, body } = await test.client.get(`/api-keys?limit=1&${query}`);
      expect([status, body.code]).toEqual([400, 'invalid_cursor']);
    }
  });
});
