import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test?.close());

const created = (): [path: string, body: object][] => {
  const { accountId, projectId } = test;
  return [
    ['/api-keys', { name: 'first', projectId }],
    ['/access-keys', { name: 'first', projectId, scopes: ['keys:validate'] }],
    ['/projects', { name: 'first', accountId }],
    ['/plans', { name: 'first', projectId }],
    [
      '/webhooks',
      { name: 'first', projectId, url: 'https://example.com', topics: ['api-key.deleted'] },
    ],
  ];
};

const patch = (path: string, body: object, updatedAt: string) =>
  test.client.patch(path, body, { 'if-match': updatedAt });

describe.each([0, 1, 2, 3, 4])('an update with If-Match (resource %i)', (index) => {
  it('is rejected if another user has changed the resource, and changes nothing', async () => {
    const [collection, body] = created()[index]!;
    const { id, updatedAt } = (await test.client.post(collection, body)).body;
    const path = `${collection}/${id}`;
    test.clock.now += 1_000;
    const first = await patch(path, { name: 'second' }, `"${updatedAt}"`);
    expect(first.status, first.text).toBe(200);
    test.clock.now += 1_000;
    const stale = await patch(path, { name: 'third' }, `"${updatedAt}"`);
    expect([stale.status, stale.body.code]).toEqual([412, 'edit_conflict']);
    const now = (await test.client.get(path)).body;
    expect([now.name, now.updatedAt]).toEqual(['second', first.body.updatedAt]);
    const log = (await test.client.get(`/audit-logs?target=${id}`)).body;
    expect(log.map(({ action }: { action: string }) => action.split('.')[1])).toEqual([
      'updated',
      'created',
    ]);
    const current = await patch(path, { name: 'third' }, first.body.updatedAt);
    expect([current.status, current.body.name]).toEqual([200, 'third']);
  });

  it('succeeds when repeated, since it changes nothing', async () => {
    const [collection, body] = created()[index]!;
    const { id, updatedAt } = (await test.client.post(collection, body)).body;
    test.clock.now += 1_000;
    for (let attempt = 0; attempt < 2; attempt++) {
      const again = await patch(`${collection}/${id}`, { name: 'second' }, `"${updatedAt}"`);
      expect([again.status, again.body.name]).toEqual([200, 'second']);
    }
  });

  it('is rejected if the header is not a time', async () => {
    const [collection, body] = created()[index]!;
    const { id } = (await test.client.post(collection, body)).body;
    const wrong = await patch(`${collection}/${id}`, { name: 'second' }, '"v1"');
    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_header']);
  });
});
