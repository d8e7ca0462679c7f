import { Keyward } from 'keyward';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';

const COUNT = 2500;
const CREATED = 25;
const IMPORT_BATCH = 495;

let test: TestApp;
/** Newest first. */
const ids: string[] = [];
beforeAll(async () => {
  test = await startTestApp();
  const other = await createOtherAccount(test);
  await other.client.post('/api-keys', { name: 'Theirs' });
  const row = (n: number) => ({
    name: `Key ${n % 10}`,
    ...(n % 2 === 0 && { customUserId: `user-${n % 4}` }),
  });
  // Some are created one by one, for the audit log; the import of the rest is much faster.
  for (let n = 0; n < CREATED; n++) ids.push((await test.client.post('/api-keys', row(n))).body.id);
  for (let n = CREATED; n < COUNT; n += IMPORT_BATCH) {
    const keys = Array.from({ length: IMPORT_BATCH }, (_, i) => ({
      ...row(n + i),
      key: `paging-key-${n + i}`,
    }));
    const { body } = await test.client.post('/api-keys/import', { keys });
    ids.push(...idsOf(body.results));
  }
  expect(ids).toHaveLength(COUNT);
  ids.sort().reverse();
});
afterAll(() => test.close());

const idsOf = (body: { id: string }[]): string[] => body.map(({ id }) => id);
const nextOf = (headers: Headers) => /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

async function follow(path: string): Promise<{ pages: number; ids: string[] }> {
  const seen: string[] = [];
  let pages = 0;
  for (let next: string | undefined = path; next !== undefined; pages++) {
    const response = await test.client.get(next);
    expect(response.status).toBe(200);
    seen.push(...idsOf(response.body));
    next = nextOf(response.headers);
  }
  return { pages, ids: seen };
}

describe('a list', () => {
  it('without a limit is complete, newest first, and has no next page', async () => {
    const { body, headers } = await test.client.get('/api-keys');
    expect(idsOf(body)).toEqual(ids);
    expect(headers.get('link')).toBeNull();
  });

  it.each([1000, 999, 500, 77])('in pages of %i is the same list', async (limit) => {
    const { pages, ids: seen } = await follow(`/api-keys/?limit=${limit}`);
    expect(seen).toEqual(ids);
    expect(pages).toBe(Math.ceil(COUNT / limit));
  });

  it('has a next link with the same filters', async () => {
    const whole = await test.client.get('/api-keys?name=Key%203&customUserId=null&isActive=true');
    expect(whole.body.length).toBeGreaterThan(100);
    const { ids: seen } = await follow(
      '/api-keys?name=Key%203&customUserId=null&isActive=true&limit=40',
    );
    expect(seen).toEqual(idsOf(whole.body));
  });

  it('with an offset starts later, and the next page continues from there', async () => {
    for (const offset of [0, 1, 10, 999, 1000, 1001, 2400]) {
      const { body, headers } = await test.client.get(`/api-keys?limit=50&offset=${offset}`);
      expect(idsOf(body)).toEqual(ids.slice(offset, offset + 50));
      const next = await test.client.get(nextOf(headers)!);
      expect(idsOf(next.body)).toEqual(ids.slice(offset + 50, offset + 100));
    }
    const { ids: rest } = await follow(
      '/api-keys?limit=400&offset=1200&name=Key%203&order=descending',
    );
    expect(rest).toEqual([]);
    expect(idsOf((await test.client.get('/api-keys?offset=2490')).body)).toEqual(ids.slice(2490));
  });

  it.each([COUNT, COUNT + 1, 10_000])(
    'with offset %i, beyond its end, is empty',
    async (offset) => {
      const { body, headers } = await test.client.get(`/api-keys?limit=10&offset=${offset}`);
      expect([body, headers.get('link')]).toEqual([[], null]);
    },
  );

  it('accepts offset or cursor, not both, and no invalid offset', async () => {
    const first = await test.client.get('/api-keys?limit=10');
    for (const path of [
      `${nextOf(first.headers)}&offset=1`,
      '/api-keys?offset=-1',
      '/api-keys?offset=10001',
      '/api-keys?offset=1.5',
    ])
      expect((await test.client.get(path)).body).toMatchObject({
        code: 'invalid_query',
        message: expect.stringContaining('offset'),
      });
  });

  it.each([
    ...['/projects', '/accounts', '/access-keys', '/webhooks', '/invitations', '/teammates'],
    ...['/audit-logs', '/customers', '/plans', '/portal-sessions', '/leaks', '/refusals'],
  ])('%s accepts an offset too', async (path) => {
    const whole = await test.client.get(`${path}?limit=20`);
    const { status, body } = await test.client.get(`${path}?limit=19&offset=1`);
    expect(status).toBe(200);
    expect(body).toEqual(whole.body.slice(1));
  });

  it('has no next page after a page that is exactly full', async () => {
    const query = 'name=Key%203&limit=250';
    const { body, headers } = await test.client.get(`/api-keys?${query}`);
    expect(body).toHaveLength(250);
    expect(headers.get('link')).toBeNull();
  });

  it('is not shifted by keys created while it is read', async () => {
    const first = await test.client.get('/api-keys?limit=10');
    const { body: late } = await test.client.post('/api-keys', { name: 'Late' });
    const second = await test.client.get(nextOf(first.headers)!);
    expect([...idsOf(first.body), ...idsOf(second.body)]).toEqual(ids.slice(0, 20));
    await test.client.delete(`/api-keys/${late.id}?permanent=true`);
  });

  it('returns the rest for a cursor without a limit', async () => {
    const { headers } = await test.client.get('/api-keys?limit=10');
    const cursor = new URL(nextOf(headers)!, test.url).searchParams.get('cursor');
    const { body } = await test.client.get(`/api-keys?cursor=${cursor}`);
    expect(idsOf(body)).toEqual(ids.slice(10));
  });

  it('rejects a cursor of another list with a 400', async () => {
    const { headers } = await test.client.get('/api-keys?limit=10');
    const cursor = new URL(nextOf(headers)!, test.url).searchParams.get('cursor');
    const { status, body } = await test.client.get(`/projects?limit=1&cursor=${cursor}`);
    expect([status, body.code]).toEqual([400, 'invalid_cursor']);
  });

  it.each([
    ['/api-keys?sort=expiresAt', ['expiresAt up', 1.5, `key_${'0'.repeat(26)}`]],
    ['/api-keys?sort=name', ['name up', 'a\0', `key_${'0'.repeat(26)}`]],
    ['/analytics/api-key-totals?sort=total', ['keys by total', 'many', 'key', null]],
    ['/analytics/api-key-totals?sort=total', ['keys by total', 1.5, 'key', null]],
    ['/analytics/api-key-totals?sort=name', ['keys by name', 'a\0', 'key', null]],
  ])('%s rejects the forged cursor %j', async (path, values) => {
    const cursor = Buffer.from(JSON.stringify(values)).toString('base64url');
    const { status, body } = await test.client.get(`${path}&limit=1&cursor=${cursor}`);
    expect([status, body.code]).toEqual([400, 'invalid_cursor']);
  });

  it('that is empty is an empty array, complete or in pages', async () => {
    for (const path of ['/api-keys?name=nobody', '/api-keys?name=nobody&limit=1', '/invitations']) {
      const { text, headers } = await test.client.get(path);
      expect(text).toBe('[]');
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('link')).toBeNull();
    }
  });

  it.each(['/projects', '/access-keys', '/accounts', '/invitations'])(
    '%s is paged in the same way',
    async (path) => {
      for (let i = 0; i < 2; i++) {
        if (path === '/projects' || path === '/access-keys')
          await test.client.post(path, { name: 'One more' });
        if (path === '/invitations')
          await test.client.post(path, { emails: [`p${i}@example.com`], role: 'viewer' });
      }
      const whole = idsOf((await test.client.get(path)).body);
      const { ids: seen, pages } = await follow(`${path}?limit=1`);
      expect(seen).toEqual(whole);
      expect(seen).toEqual(seen.toSorted().reverse());
      expect(pages).toBe(whole.length);
    },
  );
});

describe('a list of large records', () => {
  const LARGE = 150;
  const MB = 1024 * 1024;
  let large: TestApp;
  const path = '/api-keys?limit=1000';
  beforeAll(async () => {
    large = await startTestApp();
    for (let n = 0; n < LARGE; n += 50) {
      const keys = Array.from({ length: 50 }, (_, i) => ({
        name: `Key ${n + i}`,
        key: `large-key-${n + i}`,
        customMetaData: { text: 'x'.repeat(15_000) },
      }));
      await large.client.post('/api-keys/import', { keys });
    }
  });
  afterAll(() => large.close());

  const get = async (url: string, accept: string) => {
    const response = await fetch(new URL(url, large.url), {
      headers: { 'x-api-key': large.accessKey, accept },
    });
    expect(response.status).toBe(200);
    return { text: await response.text(), next: nextOf(response.headers) };
  };
  const idsIn = (text: string, accept: string): string[] =>
    accept.includes('ndjson')
      ? idsOf(
          text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line)),
        )
      : idsOf(JSON.parse(text));

  it.each(['application/json', 'application/x-ndjson'])(
    'has pages of 1 MB as %s, which together are the list',
    async (accept) => {
      const seen: string[] = [];
      const sizes: number[] = [];
      for (let next: string | undefined = path; next !== undefined; ) {
        const page: Awaited<ReturnType<typeof get>> = await get(next, accept);
        sizes.push(Buffer.byteLength(page.text));
        seen.push(...idsIn(page.text, accept));
        next = page.next;
      }
      expect(seen).toEqual(idsIn((await get('/api-keys', accept)).text, accept));
      expect(seen).toHaveLength(LARGE);
      expect(sizes).toHaveLength(3);
      for (const size of sizes) expect(size).toBeLessThanOrEqual(MB);
      for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThan(MB - 17_000);
    },
  );

  it('is read whole by the clients, which follow the links', async () => {
    const keyward = new Keyward(large.sdkOptions);
    expect(await keyward.apiKeys.list({ limit: 1000 }).toArray()).toHaveLength(LARGE);
    const first = await keyward.apiKeys.list({ limit: 1000 }).page();
    expect(first.items.length).toBeLessThan(LARGE);
    const taken = await keyward.apiKeys.list().take(100);
    expect(taken.items).toHaveLength(100);
    const rest = keyward.apiKeys.list({ cursor: taken.nextCursor! });
    expect(await rest.toArray()).toHaveLength(LARGE - 100);
    expect(await keyward.apiKeys.list().take(1000)).toMatchObject({ nextCursor: null });
  });
});
