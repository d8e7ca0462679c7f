import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

type Row = Record<string, ReturnType<typeof JSON.parse>>;

/** The engine is not started, so due deliveries are not sent. */
let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const newHook = async (body: object = {}): Promise<string> =>
  (
    await test.client.post('/webhooks', {
      name: 'Hook',
      url: 'https://example.com/',
      topics: ['api-key.created', 'api-key.deleted'],
      projectId: test.projectId,
      ...body,
    })
  ).body.id;
const newProject = async (): Promise<string> =>
  (await test.client.post('/projects', { name: 'Other' })).body.id;
const newKey = async (projectId = test.projectId): Promise<Row> =>
  (await test.client.post('/api-keys', { name: 'Key', projectId })).body;
const deliveries = async (hook: string, query = ''): Promise<Row[]> =>
  (await test.client.get(`/webhooks/${hook}/deliveries${query}`)).body;
const statuses = async (hook: string) => (await deliveries(hook)).map(({ status }) => status);
const statusAndCode = ({ status, body }: { status: number; body: Row }) => [status, body.code];
const retry = (hook: string, delivery: string) =>
  test.client.post(`/webhooks/${hook}/deliveries/${delivery}/retry`);
const setStatus = (hook: string, status: string) =>
  test.client.patch(`/webhooks/${hook}`, { status });

const change = (id: string, columns: object) =>
  test.storage.transaction((tx) =>
    tx.updateTable('deliveries').set(columns).where('id', '=', id).execute(),
  );

const sealedData = async (eventId: string) =>
  (
    await test.storage.read
      .selectFrom('events')
      .select('sealed_data')
      .where('id', '=', eventId)
      .executeTakeFirstOrThrow()
  ).sealed_data;

describe('the list of deliveries', () => {
  it('shows waiting deliveries, newest first, with their latest attempts', async () => {
    const hook = await newHook();
    const key = await newKey();
    const [made] = await deliveries(hook);
    expect(made).toEqual({
      id: expect.stringMatching(/^dlv_/),
      webhookId: hook,
      eventId: expect.stringMatching(/^evt_/),
      topic: 'api-key.created',
      resourceId: key.id,
      resourceName: 'Key',
      status: 'pending',
      attempts: 0,
      lastStatusCode: null,
      lastError: null,
      dueAt: new Date(test.clock.now).toISOString(),
      replayId: null,
      createdAt: new Date(test.clock.now).toISOString(),
      updatedAt: new Date(test.clock.now).toISOString(),
      recentAttempts: [],
    });
    await test.storage.transaction((tx) =>
      tx
        .insertInto('delivery_attempts')
        .values(
          Array.from({ length: 12 }, (_, n) => ({
            delivery_id: made!.id,
            started_at: test.clock.now + n,
            duration_ms: n,
            status_code: n === 11 ? null : 500,
            error: n === 11 ? 'no answer' : 'status 500',
            response_body: 'it broke',
          })),
        )
        .execute(),
    );
    const [after] = await deliveries(hook);
    expect(after!.recentAttempts).toHaveLength(10);
    expect(after!.recentAttempts[0]).toEqual({
      startedAt: new Date(test.clock.now + 11).toISOString(),
      durationMs: 11,
      statusCode: null,
      error: 'no answer',
      responseBody: 'it broke',
    });
    expect(after!.recentAttempts[9].durationMs).toBe(2);
  });

  it('is filtered by status, topic and time, and paged', async () => {
    const hook = await newHook();
    const { id } = await newKey();
    const between = test.clock.now + 1000;
    test.clock.now += 2000;
    await test.client.delete(`/api-keys/${id}`);
    const [deleted, created] = await deliveries(hook);
    await change(created!.id, { status: 'delivered' });
    const ids = async (query: string) => (await deliveries(hook, query)).map((row) => row.id);
    expect(await ids('?status=delivered')).toEqual([created!.id]);
    expect(await ids('?status=pending')).toEqual([deleted!.id]);
    expect(await ids('?topic=api-key.deleted')).toEqual([deleted!.id]);
    const at = new Date(between).toISOString();
    expect(await ids(`?from=${at}`)).toEqual([deleted!.id]);
    expect(await ids(`?to=${at}`)).toEqual([created!.id]);
    expect(await ids(`?from=${at}&to=${at}`)).toEqual([]);
    const page = await test.client.get(`/webhooks/${hook}/deliveries?limit=1`);
    expect(page.body).toMatchObject([{ id: deleted!.id }]);
    const next = /<(.*)>; rel="next"/.exec(page.headers.get('link')!)![1]!;
    const last = await test.client.get(next);
    expect(last.body).toMatchObject([{ id: created!.id, dueAt: null }]);
    expect(last.headers.get('link')).toBeNull();
    for (const wrong of ['?status=lost', '?from=yesterday', '?topic=x', '?to='])
      expect(statusAndCode(await test.client.get(`/webhooks/${hook}/deliveries${wrong}`))).toEqual([
        400,
        'invalid_query',
      ]);
  });
});

describe('one delivery', () => {
  it('shows its payload with the key masked', async () => {
    const hook = await newHook();
    const key = await newKey();
    const [{ id, eventId }] = (await deliveries(hook)) as [Row];
    const response = await test.client.get(`/webhooks/${hook}/deliveries/${id}`);
    expect(response.body.payload).toEqual({
      id: eventId,
      type: 'api-key.created',
      timestamp: new Date(test.clock.now).toISOString(),
      accountId: test.accountId,
      projectId: test.projectId,
      data: (await test.client.get(`/api-keys/${key.id}`)).body,
    });
    expect(response.text).not.toContain(key.key);
    expect(await sealedData(eventId)).not.toBeNull();
  });

  it('is found only under its webhook', async () => {
    const hook = await newHook();
    const otherHook = await newHook({ topics: ['project.updated'] });
    await newKey();
    const [{ id }] = (await deliveries(hook)) as [Row];
    const read = await test.client.get(`/webhooks/${otherHook}/deliveries/${id}`);
    expect(statusAndCode(read)).toEqual([404, 'delivery_not_found']);
    expect(statusAndCode(await retry(otherHook, id))).toEqual([404, 'delivery_not_found']);
  });
});

describe('a retry', () => {
  it('makes a finished delivery due immediately, starting with its first attempt', async () => {
    const hook = await newHook();
    await newKey();
    const [{ id }] = (await deliveries(hook)) as [Row];
    for (const status of ['failed', 'delivered']) {
      await change(id, { status, lane: 1, attempts: 8, due_at: 5, last_error: 'status 500' });
      test.clock.now += 1000;
      const { status: answered, body } = await retry(hook, id);
      expect(answered).toBe(200);
      expect(body).toMatchObject({ id, status: 'pending', attempts: 0 });
      expect(body.dueAt).toBe(new Date(test.clock.now).toISOString());
    }
    const row = await test.storage.point
      .selectFrom('deliveries')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ lane: 0, status: 'pending', due_at: test.clock.now });
  });

  it('does not affect a delivery in flight', async () => {
    const hook = await newHook();
    await newKey();
    const [{ id }] = (await deliveries(hook)) as [Row];
    const lease = { lease_token: 'held', lease_until: test.clock.now + 5000, attempts: 3 };
    await change(id, lease);
    expect((await retry(hook, id)).body).toMatchObject({ status: 'pending', attempts: 3 });
    const row = await test.storage.point
      .selectFrom('deliveries')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject(lease);
  });

  it('is rejected for deliveries that cannot be sent', async () => {
    const projectId = await newProject();
    const hook = await newHook({ projectId });
    await newKey(projectId);
    const [{ id }] = (await deliveries(hook)) as [Row];
    await setStatus(hook, 'paused');
    expect(statusAndCode(await retry(hook, id))).toEqual([409, 'webhook_not_live']);
    await setStatus(hook, 'live');
    await test.client.delete(`/projects/${projectId}`);
    expect(statusAndCode(await retry(hook, id))).toEqual([409, 'project_inactive']);
    await test.client.patch(`/projects/${projectId}/reactivate`);
    await change(id, { status: 'cancelled' });
    expect(statusAndCode(await retry(hook, id))).toEqual([409, 'delivery_cancelled']);
    await change(id, { status: 'delivered' });
    await test.client.patch(`/webhooks/${hook}`, { topics: ['api-key.deleted'] });
    expect(statusAndCode(await retry(hook, id))).toEqual([409, 'delivery_cancelled']);
    expect((await deliveries(hook))[0]!.status).toBe('delivered');
  });
});

describe('unsubscribing from a topic', () => {
  it('cancels its waiting deliveries, so that they do not go to a later URL', async () => {
    const hook = await newHook();
    const held = await newHook();
    const key = await newKey();
    await test.client.delete(`/api-keys/${key.id}`);
    await setStatus(held, 'paused');
    for (const id of [hook, held])
      await test.client.patch(`/webhooks/${id}`, { topics: ['api-key.deleted'] });
    expect(await statuses(hook)).toEqual(['pending', 'cancelled']);
    expect(await statuses(held)).toEqual(['held', 'cancelled']);
  });
});

describe('pausing', () => {
  it('holds waiting deliveries, and resuming makes them due', async () => {
    const hook = await newHook();
    await newKey();
    await newKey();
    const [over] = await deliveries(hook);
    await change(over!.id, { status: 'failed' });
    await setStatus(hook, 'paused');
    expect(await statuses(hook)).toEqual(['failed', 'held']);
    await newKey();
    test.clock.now += 60_000;
    await setStatus(hook, 'live');
    expect(await statuses(hook)).toEqual(['failed', 'pending']);
    expect((await deliveries(hook))[1]!.dueAt).toBe(new Date(test.clock.now).toISOString());
  });

  it('does not release deliveries of an inactive project', async () => {
    const projectId = await newProject();
    const hook = await newHook({
      projectId: null,
      topics: ['api-key.created', 'access-key.created'],
    });
    await newKey(projectId);
    await newKey();
    await test.client.post('/access-keys', { name: 'Of the account' });
    await setStatus(hook, 'paused');
    await test.client.delete(`/projects/${projectId}`);
    await setStatus(hook, 'live');
    expect(await statuses(hook)).toEqual(['pending', 'pending', 'held']);
    await test.client.patch(`/projects/${projectId}/reactivate`);
    expect(await statuses(hook)).toEqual(['pending', 'pending', 'pending']);
  });

  it('is not undone by reactivating the project', async () => {
    const projectId = await newProject();
    const hook = await newHook({ projectId });
    await newKey(projectId);
    await test.client.delete(`/projects/${projectId}`);
    await setStatus(hook, 'paused');
    await test.client.patch(`/projects/${projectId}/reactivate`);
    expect(await statuses(hook)).toEqual(['held']);
    await setStatus(hook, 'live');
    expect(await statuses(hook)).toEqual(['pending']);
  });

  it('ends for every delivery if the project is reactivated at the same time', async () => {
    const projectId = await newProject();
    const hook = await newHook({ projectId });
    await newKey(projectId);
    for (let n = 0; n < 20; n++) {
      await setStatus(hook, 'paused');
      await test.client.delete(`/projects/${projectId}`);
      const reactivated = test.client.patch(`/projects/${projectId}/reactivate`);
      await Promise.all([setStatus(hook, 'live'), reactivated]);
      expect(await statuses(hook), `round ${n}`).toEqual(['pending']);
    }
  });
});

describe('key values in events', () => {
  const rowsOf = (hook: string) =>
    test.storage.read
      .selectFrom('deliveries')
      .select(['status', 'event_id'])
      .where('webhook_id', '=', hook)
      .execute();

  it('are erased with the last waiting delivery, not before', async () => {
    const first = await newHook();
    const second = await newHook();
    await newKey();
    const [{ eventId }] = (await deliveries(first)) as [Row];
    await test.client.delete(`/webhooks/${first}`);
    expect(await rowsOf(first)).toEqual([{ status: 'cancelled', event_id: eventId }]);
    expect(await sealedData(eventId)).not.toBeNull();
    await setStatus(second, 'paused');
    expect(await sealedData(eventId)).not.toBeNull();
    for (const id of (await test.client.get('/webhooks')).body.map((row: Row) => row.id))
      await test.client.delete(`/webhooks/${id}`);
    expect(await sealedData(eventId)).toBeNull();
  });

  it('are never sent after the webhook moved to another project', async () => {
    const projectId = await newProject();
    const hook = await newHook({ projectId: null });
    await newKey();
    await newKey(projectId);
    const [kept, left] = await deliveries(hook);
    await test.client.patch(`/webhooks/${hook}`, { projectId });
    expect((await deliveries(hook)).map(({ id }) => id)).toEqual([kept!.id]);
    expect((await rowsOf(hook)).map(({ status }) => status).sort()).toEqual([
      'cancelled',
      'pending',
    ]);
    const read = await test.client.get(`/webhooks/${hook}/deliveries/${left!.id}`);
    expect(statusAndCode(read)).toEqual([404, 'delivery_not_found']);
    expect(await sealedData(left!.eventId)).toBeNull();
    expect(await sealedData(kept!.eventId)).not.toBeNull();
  });
});
