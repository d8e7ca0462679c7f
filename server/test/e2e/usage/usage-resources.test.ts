import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
let project: string;
let keyId: string;
let keyValue: string;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const RESOURCES = ['POST:/v1/chat', 'POST:*', 'GET:/v1/*'];

beforeEach(async () => {
  const { body } = await test.client.post('/projects', {
    name: 'Chat',
    resources: RESOURCES,
    units: ['tokens'],
  });
  project = body.id;
  const key = { name: 'Key', projectId: project, customAccountId: 'acme' };
  ({ id: keyId, key: keyValue } = (await test.client.post('/api-keys', key)).body);
});

let reports = 0;
const report = (resource: string | undefined, count: number, id = keyId) =>
  test.client.post('/usage', {
    reporter: 'reporter-of-resources',
    number: ++reports,
    agoMs: 0,
    counts: [{ keyId: id, outcome: 'valid', count, resource }],
  });
const usage = async (query: string) =>
  (await test.client.get(`/analytics/usage?interval=day&projectId=${project}&${query}`)).body;
const totals = async (query: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await usage(query)).map(({ group, total }: { group: string; total: number }) => [
      group,
      total,
    ]),
  );

/** One valid request that costs tokens. */
async function useTokens(tokens: number): Promise<void> {
  const { body } = await test.client.post('/api-keys/auth', {
    keys: [{ key: keyValue, cost: { tokens, credits: 3, requests: 3 }, resource: 'POST:/v1/chat' }],
  });
  expect(body).toMatchObject([{ code: 'valid' }]);
  await test.app.tally.flush();
}

describe('usage by resource', () => {
  it('counts each request under the first pattern that matches, else as other', async () => {
    await report('POST:/v1/chat', 1);
    await report('POST:/v1/files', 2);
    await report('GET:/v1/files', 4);
    await report('GET:/v2', 8);
    await report(undefined, 16);
    expect(await totals('groupBy=resource')).toEqual({
      'GET:/v1/*': 4,
      'POST:*': 2,
      'POST:/v1/chat': 1,
      other: 24,
    });
    expect(await totals('groupBy=key')).toEqual({ [keyId]: 31 });
    expect(await totals('groupBy=customAccountId&resource=other')).toEqual({ acme: 24 });
    const { body } = await test.client.get(
      `/analytics/api-key-totals?key=${keyId}&resource=POST:*`,
    );
    expect(body).toMatchObject([{ total: 2, valid: 2, cost: 2 }]);
  });

  it('counts validations too, whatever their outcome', async () => {
    const { key, id } = (await test.client.post('/api-keys', { name: 'K', projectId: project }))
      .body;
    await test.client.post('/api-keys/auth', { key });
    await test.client.delete(`/api-keys/${id}`);
    await test.client.post('/api-keys/auth', { key });
    await test.app.tally.flush();
    const rows = await usage(`groupBy=resource&key=${id}`);
    expect(rows).toMatchObject([{ group: 'other', total: 2, valid: 1, revoked: 1 }]);
  });

  it('begins when the project declares its resources, and follows a change at once', async () => {
    await test.client.patch(`/projects/${project}`, { resources: [] });
    await report('POST:/v1/chat', 1);
    expect(await totals('groupBy=resource')).toEqual({});
    await test.client.patch(`/projects/${project}`, { resources: ['POST:*'] });
    await report('POST:/v1/chat', 2);
    expect(await totals('groupBy=resource')).toEqual({ 'POST:*': 2 });
    const { key } = (await test.client.post('/api-keys', { name: 'K', projectId: project })).body;
    await test.client.post('/api-keys/auth', { key });
    await test.client.patch(`/projects/${project}`, { resources: ['*'] });
    await test.client.post('/api-keys/auth', { key });
    await test.app.tally.flush();
    expect(await totals('groupBy=resource')).toEqual({ 'POST:*': 2, '*': 1, other: 1 });
  });

  it('is that of the project of the caller alone', async () => {
    await report('POST:/v1/chat', 1);
    const other = (await test.client.post('/projects', { name: 'Other' })).body.id;
    const { body } = await test.client.post('/access-keys', { name: 'A', projectId: other });
    const client = test.client.as(body.key);
    expect((await client.get('/analytics/usage?groupBy=resource&interval=day')).body).toEqual([]);
    const read = await client.get(
      `/analytics/usage?groupBy=resource&interval=day&projectId=${project}`,
    );
    expect(read.status).toBe(404);
  });
});

describe('sums of units', () => {
  it('stand beside the counts, and are left out where there are none', async () => {
    await report('POST:/x', 1);
    expect(Object.keys((await usage('groupBy=key'))[0])).not.toContain('units');
    await useTokens(1_200);
    await useTokens(0);
    const rows = await usage('groupBy=resource');
    expect(rows).toMatchObject([
      { group: 'POST:*', total: 1 },
      { group: 'POST:/v1/chat', total: 2, cost: 6, units: { tokens: 1_200 } },
    ]);
    expect(Object.keys(rows[0])).not.toContain('units');
    const { body } = await test.client.get(`/analytics/project-totals?projectId=${project}`);
    expect(body).toMatchObject([{ cost: 7, units: { tokens: 1_200 } }]);
    expect(Object.keys((await usage('groupBy=key&outcome=revoked')).at(-1) ?? {})).toEqual([]);
  });

  it('are the last column of a CSV file, of projects that use units', async () => {
    const csv = async (path: string) =>
      (await test.client.get(path, { accept: 'text/csv' })).text.split('\r\n');
    const path = `/analytics/api-key-totals?key=${keyId}&projectId=${project}`;
    expect((await csv(path))[0]).toMatch(/,cost$/);
    await useTokens(5);
    const [head, row] = await csv(path);
    expect(head).toMatch(/,cost,units$/);
    expect(row).toMatch(/,3,"{""tokens"":5}"$/);
  });
});

describe('the resources of a project', () => {
  it.each([
    [['other'], 'not the word other'],
    [['a*b'], 'with * only at the end'],
    [['a b'], 'is not a pattern'],
    [[''], 'resources'],
    [Array.from({ length: 51 }, (_, n) => `r${n}`), 'resources'],
  ])('are not %j', async (resources, message) => {
    const { status, body } = await test.client.patch(`/projects/${project}`, { resources });
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('are up to 50, in the order in which they are matched', async () => {
    const resources = Array.from({ length: 50 }, (_, n) => `r${50 - n}*`);
    const { body } = await test.client.patch(`/projects/${project}`, { resources });
    expect(body.resources).toEqual(resources);
  });
});
