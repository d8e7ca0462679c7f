import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteOldReporters } from '../../../src/features/analytics/counting/reporters.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createOtherAccount } from '../other-account.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const createKey = async (client = test.client, projectId = test.projectId) =>
  (await client.post('/api-keys', { name: 'Key', projectId })).body;
let reporters = 0;
const newReporter = () => `reporter-number-${++reporters}`;
const report = (
  counts: object[],
  { reporter = newReporter(), number = 1, agoMs = 0, client = test.client } = {},
) => client.post('/usage', { reporter, number, agoMs, counts });
const totalsOf = async (id: string, client = test.client) =>
  (await client.get(`/analytics/api-key-totals?key=${id}`)).body[0];
const valid = (keyId: string, count: number) => ({ keyId, outcome: 'valid', count });

describe('a report', () => {
  it('is counted for key, project and access key, like validations', async () => {
    const { id } = await createKey();
    const before = (await test.client.get('/analytics/project-totals')).body[0].total;
    const counts = [valid(id, 7), { keyId: id, outcome: 'rate_limited', count: 2 }, valid(id, 1)];
    const response = await report(counts);
    expect([response.status, response.body]).toEqual([200, { received: true }]);
    expect(await totalsOf(id)).toMatchObject({ total: 10 });
    expect((await test.client.get('/analytics/project-totals')).body[0].total).toBe(before + 10);
    const { body } = await test.client.get('/analytics/usage?groupBy=accessKey&interval=day');
    expect(JSON.stringify(body)).toMatch(/"valid":\d/);
  });

  it('records first and last use, and emits the first-use event once', async () => {
    const { body: hook } = await test.client.post('/webhooks', {
      name: 'First uses',
      url: 'https://example.com/hook',
      topics: ['api-key.firstUsed'],
      projectId: test.projectId,
    });
    const { id } = await createKey();
    const reporter = newReporter();
    await report([valid(id, 1)], { reporter, agoMs: 2_000 });
    const used = (await test.client.get(`/api-keys/${id}`)).body;
    expect(used.firstUsedAt).toBe(new Date(test.clock.now - 2_000).toISOString());
    test.clock.now += 1_000;
    await report([valid(id, 1)], { reporter, number: 2 });
    const later = (await test.client.get(`/api-keys/${id}`)).body;
    expect(later).toMatchObject({
      firstUsedAt: used.firstUsedAt,
      lastUsedAt: new Date(test.clock.now).toISOString(),
    });
    const { body: deliveries } = await test.client.get(`/webhooks/${hook.id}/deliveries`);
    expect(deliveries).toHaveLength(1);
  });

  it('counts no use if everything in it was rejected', async () => {
    const { id } = await createKey();
    await report([{ keyId: id, outcome: 'expired', count: 3 }]);
    expect((await test.client.get(`/api-keys/${id}`)).body.firstUsedAt).toBeNull();
    expect((await totalsOf(id)).total).toBe(3);
  });

  it('adds the cost of valid uses, which is their number unless stated', async () => {
    const { id } = await createKey();
    const counts = [
      { ...valid(id, 3), cost: 1_000_000_000 },
      valid(id, 2),
      { keyId: id, outcome: 'rate_limited', count: 4, cost: 50 },
    ];
    await report(counts);
    expect(await totalsOf(id)).toMatchObject({ total: 9, valid: 5, cost: 1_000_000_002 });
    for (const groupBy of ['key', 'outcome'])
      expect(
        (await test.client.get(`/analytics/usage?groupBy=${groupBy}&interval=day&key=${id}`)).body
          .map(({ cost }: { cost: number }) => cost)
          .filter((cost: number) => cost > 0),
      ).toEqual([1_000_000_002]);
  });

  it('with cost 0 is counted, but does not set the first or last use of the key', async () => {
    const { id } = await createKey();
    await report([{ ...valid(id, 3), cost: 0 }]);
    expect((await test.client.get(`/api-keys/${id}`)).body).toMatchObject({
      firstUsedAt: null,
      lastUsedAt: null,
    });
    expect(await totalsOf(id)).toMatchObject({ total: 3, valid: 3, cost: 0 });
  });

  it('is counted once, however often it is sent', async () => {
    const { id } = await createKey();
    const reporter = newReporter();
    const sent = Array.from({ length: 20 }, () => report([valid(id, 5)], { reporter, number: 4 }));
    for (const { status } of await Promise.all(sent)) expect(status).toBe(200);
    await report([valid(id, 5)], { reporter, number: 3 });
    expect((await totalsOf(id)).total).toBe(5);
    await report([valid(id, 5)], { reporter, number: 5 });
    expect((await totalsOf(id)).total).toBe(10);
  });

  it('is numbered per access key, so that no caller can use the numbers of another', async () => {
    const theirs = await createOtherAccount(test);
    const [mine, other] = [await createKey(), await createKey(theirs.client, theirs.projectId)];
    const reporter = newReporter();
    await report([valid(other.id, 2)], { reporter, number: 9, client: theirs.client });
    await report([valid(mine.id, 2)], { reporter, number: 1 });
    expect((await totalsOf(mine.id)).total).toBe(2);
  });

  it('ignores keys of others, with the same response', async () => {
    const theirs = await createOtherAccount(test);
    const [mine, foreign] = [await createKey(), await createKey(theirs.client, theirs.projectId)];
    const response = await report([
      valid(foreign.id, 5),
      valid(mine.id, 1),
      valid('key_unknown', 1),
    ]);
    expect(response.text).toBe('{"received":true}');
    expect((await totalsOf(foreign.id, theirs.client)).total).toBe(0);
    expect((await totalsOf(mine.id)).total).toBe(1);
    const { body: beside } = await test.client.post('/projects', { name: 'Beside' });
    const { body: access } = await test.client.post('/access-keys', {
      name: 'Beside',
      projectId: beside.id,
    });
    await report([valid(mine.id, 5)], { client: test.client.as(access.key) });
    expect((await totalsOf(mine.id)).total).toBe(1);
  });

  it.each([
    ['no counts', { counts: [] }],
    ['too many counts', { counts: Array.from({ length: 501 }, () => valid('key_x', 1)) }],
    ['an unknown outcome', { counts: [{ keyId: 'key_x', outcome: 'malformed', count: 1 }] }],
    ['a count of 0', { counts: [valid('key_x', 0)] }],
    ['too large a count', { counts: [valid('key_x', 1_000_001)] }],
    ['a negative cost', { counts: [{ ...valid('key_x', 1), cost: -1 }] }],
    ['too high a cost', { counts: [{ ...valid('key_x', 1), cost: 1_000_000_001 }] }],
    ['a time in the future', { agoMs: -1 }],
    ['a time too long ago', { agoMs: 13 * 3_600_000 }],
    ['a short reporter', { reporter: 'short' }],
    ['a number of 0', { number: 0 }],
    ['an unknown field', { at: 1 }],
  ])('with %s is a 400', async (_what, wrong) => {
    const right = { reporter: newReporter(), number: 1, agoMs: 0, counts: [valid('key_x', 1)] };
    expect((await test.client.post('/usage', { ...right, ...wrong })).status).toBe(400);
  });
});

describe('reporters', () => {
  const rowsLike = (pattern: string) =>
    test.storage.read
      .selectFrom('usage_flushes')
      .selectAll()
      .where('node_id', 'like', pattern)
      .execute();

  it('are not stored if no key is the caller’s', async () => {
    const theirs = await createOtherAccount(test);
    const foreign = await createKey(theirs.client, theirs.projectId);
    const reporter = newReporter();
    const response = await report([valid(foreign.id, 5), valid('key_unknown', 1)], { reporter });
    expect(response.text).toBe('{"received":true}');
    expect(await rowsLike(`% ${reporter}`)).toEqual([]);
  });

  it('are at most 10,000 per access key; known ones keep working', async () => {
    const { id } = await createKey();
    const { body: access } = await test.client.post('/access-keys', { name: 'Busy' });
    const client = test.client.as(access.key);
    const known = newReporter();
    expect((await report([valid(id, 1)], { reporter: known, client })).status).toBe(200);
    const rows = Array.from({ length: 9_999 }, (_, n) => ({
      node_id: `${access.id} reporter-of-many-${n}`,
      batch: 1,
      flushed_at: test.clock.now,
    }));
    await test.storage.transaction(async (tx) => {
      for (let start = 0; start < rows.length; start += 1_000)
        await tx
          .insertInto('usage_flushes')
          .values(rows.slice(start, start + 1_000))
          .execute();
    });
    const refused = await report([valid(id, 1)], { client });
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_reporters']);
    expect(refused.headers.get('retry-after')).toBe('3600');
    expect((await report([valid(id, 1)], { reporter: known, number: 2, client })).status).toBe(200);
    expect((await report([valid(id, 1)])).status).toBe(200);
    expect((await totalsOf(id)).total).toBe(3);

    test.clock.now += 86_400_001;
    await deleteOldReporters(test.storage, test.clock.now);
    expect(await rowsLike(`${access.id} %`)).toEqual([]);
    expect((await report([valid(id, 1)], { client })).status).toBe(200);
  });
});
