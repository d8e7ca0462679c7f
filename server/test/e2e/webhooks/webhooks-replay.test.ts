import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReplayRunner } from '../../../src/features/webhooks/index.ts';
import { createIds } from '../../../src/kernel/ids.ts';
import type { Storage } from '../../../src/storage/index.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { eventually } from '../../webhooks/delivery-app.ts';

type Row = Record<string, ReturnType<typeof JSON.parse>>;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const newHook = async (body: object = {}): Promise<string> =>
  (
    await test.client.post('/webhooks', {
      ...HOOK,
      projectId: test.projectId,
      ...body,
    })
  ).body.id;
const newKey = async (projectId = test.projectId): Promise<Row> =>
  (await test.client.post('/api-keys', { name: 'Key', projectId })).body;
const newProject = async (): Promise<string> =>
  (await test.client.post('/projects', { name: 'Own' })).body.id;
const replay = (hook: string, body: object) => test.client.post(`/webhooks/${hook}/replay`, body);
const deliveries = async (hook: string): Promise<Row[]> =>
  (await test.client.get(`/webhooks/${hook}/deliveries`)).body;
const statusAndCode = ({ status, body }: { status: number; body: Row }) => [status, body.code];
const iso = (ms: number) => new Date(ms).toISOString();

const untilDone = (hook: string, id: string): Promise<Row> =>
  eventually(
    async () => (await test.client.get(`/webhooks/${hook}/replays/${id}`)).body as Row,
    ({ status }) => status !== 'running',
  );

const HOOK = { name: 'Hook', url: 'https://example.com/', topics: ['api-key.created'] };

/** A runner over the same database, as in another process. */
const runnerOver = (
  own: TestApp,
  wake: (ids: readonly string[]) => void = () => {},
  storage: Storage = own.storage,
  pace = { perSecond: 50_000 },
) =>
  new ReplayRunner({
    storage,
    ids: createIds(() => own.clock.now),
    clock: () => own.clock.now,
    pace,
    wake,
    readPrincipal: async () => null,
    onError: (error) => {
      throw error;
    },
  });

/** Inserts events directly, which is faster than creating them through the API. */
async function insertEvents(own: TestApp, count: number): Promise<string[]> {
  const ids = createIds(() => own.clock.now);
  const rows = Array.from({ length: count }, (_, n) => ({
    id: ids('evt'),
    account_id: own.accountId,
    project_id: own.projectId,
    type: 'api-key.created',
    data: JSON.stringify({ n }),
    sealed_data: null,
    created_at: own.clock.now,
  }));
  await own.storage.transaction(async (tx) => {
    for (let start = 0; start < count; start += 200)
      await tx
        .insertInto('events')
        .values(rows.slice(start, start + 200))
        .execute();
  });
  return rows.map(({ id }) => id);
}

describe('a replay', () => {
  it('queues the events of its range that the webhook subscribes to, and no others', async () => {
    const other = await newProject();
    const hook = await newHook();
    await newKey();
    test.clock.now += 10_000;
    const since = test.clock.now;
    const wanted = await newKey();
    await newKey(other);
    await test.client.delete(`/api-keys/${wanted.id}`);
    test.clock.now += 10_000;
    const until = test.clock.now;
    test.clock.now += 10_000;
    await newKey();
    const before = await deliveries(hook);
    const started = await replay(hook, { since: iso(since), until: iso(until) });
    expect(started.status).toBe(201);
    expect(started.body).toEqual({
      id: expect.stringMatching(/^rpl_/),
      webhookId: hook,
      since: iso(since),
      until: iso(until),
      status: 'running',
      total: 1,
      queued: 0,
      createdAt: iso(test.clock.now),
      updatedAt: iso(test.clock.now),
    });
    const done = await untilDone(hook, started.body.id);
    expect(done).toMatchObject({ status: 'done', total: 1, queued: 1 });
    const made = (await deliveries(hook)).filter(({ replayId }) => replayId === done.id);
    expect(made).toHaveLength(1);
    expect(await deliveries(hook)).toHaveLength(before.length + 1);
    const shown = await test.client.get(`/webhooks/${hook}/deliveries/${made[0]!.id}`);
    expect(shown.body).toMatchObject({
      status: 'pending',
      payload: { id: made[0]!.eventId, data: { id: wanted.id } },
    });
    // The event keeps its id, so that a receiver can detect the repeat.
    expect(before.map(({ eventId }) => eventId)).toContain(made[0]!.eventId);
    const listed = await test.client.get(`/webhooks/${hook}/replays`);
    expect(listed.body).toEqual([done]);
  });

  it('continues after a restart, on two nodes at once, without a gap or a repeat', async () => {
    const own = await startTestApp();
    try {
      await own.app.replays.stop();
      const events = await insertEvents(own, 1000);
      const { body: hook } = await own.client.post('/webhooks', HOOK);
      const path = `/webhooks/${hook.id}`;
      const { body } = await own.client.post(`${path}/replay`, { since: '2029-01-01' });
      const readReplay = async () =>
        (await own.client.get(`${path}/replays/${body.id}`)).body as Row;
      const first: ReplayRunner = runnerOver(own, () => void first.stop());
      first.start();
      await eventually(readReplay, ({ queued }) => queued > 0);
      await first.stop();
      expect(await readReplay()).toMatchObject({ status: 'running', total: 1000, queued: 100 });
      // Like two nodes: a chunk that one has queued is skipped by the other.
      const both = [runnerOver(own), runnerOver(own)];
      for (const runner of both) runner.start();
      const done = await eventually(readReplay, ({ status }) => status !== 'running');
      await Promise.all(both.map((runner) => runner.stop()));
      expect(done).toMatchObject({ status: 'done', total: 1000, queued: 1000 });
      const made = await own.storage.read
        .selectFrom('deliveries')
        .select(['event_id', 'lane'])
        .where('replay_id', '=', body.id)
        .orderBy('id')
        .execute();
      expect(made.map((row) => row.event_id).sort()).toEqual(events);
      // The retry lane, so that new events go first.
      expect(new Set(made.map(({ lane }) => lane))).toEqual(new Set([1]));
    } finally {
      await own.close();
    }
  });

  it('is queued no faster than deliveries may go out, and a stop does not wait for that', async () => {
    const own = await startTestApp();
    try {
      await own.app.replays.stop();
      await insertEvents(own, 1000);
      const { body: hook } = await own.client.post('/webhooks', HOOK);
      const path = `/webhooks/${hook.id}`;
      const { body } = await own.client.post(`${path}/replay`, { since: '2029-01-01' });
      const readReplay = async () =>
        (await own.client.get(`${path}/replays/${body.id}`)).body as Row;
      // One chunk per hundred seconds.
      const runner = runnerOver(own, undefined, undefined, { perSecond: 1 });
      runner.start();
      await eventually(readReplay, ({ queued }) => queued > 0);
      await sleep(200);
      await runner.stop();
      expect(await readReplay()).toMatchObject({ status: 'running', total: 1000, queued: 100 });
    } finally {
      await own.close();
    }
  });

  it('left by a stopped server continues at the next start', async () => {
    const own = await startTestApp();
    try {
      await own.app.replays.stop();
      const { body: hook } = await own.client.post('/webhooks', HOOK);
      await own.client.post('/api-keys', { name: 'Key' });
      const { body } = await own.client.post(`/webhooks/${hook.id}/replay`, {
        since: '2029-01-01',
      });
      const readReplay = async () =>
        (await own.client.get(`/webhooks/${hook.id}/replays/${body.id}`)).body as Row;
      expect(await readReplay()).toMatchObject({ status: 'running', queued: 0, total: 1 });
      const woken: string[] = [];
      const next = runnerOver(own, (ids) => woken.push(...ids));
      next.start();
      await eventually(readReplay, ({ status }) => status === 'done');
      await next.stop();
      expect(await readReplay()).toMatchObject({ queued: 1 });
      expect(woken).toEqual([hook.id]);
    } finally {
      await own.close();
    }
  });

  it('holds events of an inactive project or a paused webhook', async () => {
    const own = await startTestApp();
    try {
      await own.app.replays.stop();
      const make = async (path: string, body: object) => (await own.client.post(path, body)).body;
      const inactive = (await make('/projects', { name: 'Inactive' })).id;
      const [active, paused] = [await make('/webhooks', HOOK), await make('/webhooks', HOOK)];
      await make('/api-keys', { name: 'Key', projectId: own.projectId });
      await make('/api-keys', { name: 'Key', projectId: inactive });
      for (const { id } of [active, paused])
        await make(`/webhooks/${id}/replay`, { since: '2029-01-01' });
      await own.client.delete(`/projects/${inactive}`);
      await own.client.patch(`/webhooks/${paused.id}`, { status: 'paused' });
      const runner = runnerOver(own);
      runner.start();
      const made = (id: string) =>
        own.storage.read
          .selectFrom('deliveries')
          .select(['project_id', 'status'])
          .where('webhook_id', '=', id)
          .where('replay_id', 'is not', null)
          .orderBy('id')
          .execute();
      await eventually(
        async () => [...(await made(active.id)), ...(await made(paused.id))],
        (rows) => rows.length === 4,
      );
      await runner.stop();
      expect(await made(active.id)).toEqual([
        { project_id: own.projectId, status: 'pending' },
        { project_id: inactive, status: 'held' },
      ]);
      expect((await made(paused.id)).map(({ status }) => status)).toEqual(['held', 'held']);
    } finally {
      await own.close();
    }
  });

  it.each([
    ['moves to another project', (other: string) => ({ projectId: other })],
    ['unsubscribes from the topic', () => ({ topics: ['project.updated'] })],
  ])('queues nothing that was read before its webhook %s', async (_, changeTo) => {
    const own = await startTestApp();
    try {
      await own.app.replays.stop();
      await insertEvents(own, 3);
      const { body: other } = await own.client.post('/projects', { name: 'Other' });
      const { body: hook } = await own.client.post('/webhooks', HOOK);
      const path = `/webhooks/${hook.id}`;
      const { body } = await own.client.post(`${path}/replay`, { since: '2029-01-01' });
      // Changes the webhook after the events are read and before they are queued.
      const storage: Storage = {
        ...own.storage,
        transaction: async (work, options) => {
          await own.client.patch(path, changeTo(other.id));
          return own.storage.transaction(work, options);
        },
      };
      const runner = runnerOver(own, undefined, storage);
      runner.start();
      const done = await eventually(
        async () => (await own.client.get(`${path}/replays/${body.id}`)).body as Row,
        ({ status }) => status !== 'running',
      );
      await runner.stop();
      expect(done).toMatchObject({ status: 'done', total: 0, queued: 0 });
      expect(await own.storage.read.selectFrom('deliveries').selectAll().execute()).toEqual([]);
    } finally {
      await own.close();
    }
  });

  it('ends with its webhook', async () => {
    const own = await startTestApp();
    try {
      await own.app.replays.stop();
      const { body: hook } = await own.client.post('/webhooks', HOOK);
      await own.client.post('/api-keys', { name: 'Key' });
      await own.client.post(`/webhooks/${hook.id}/replay`, { since: '2029-01-01' });
      await own.client.delete(`/webhooks/${hook.id}`);
      const rows = await own.storage.read.selectFrom('webhook_replays').selectAll().execute();
      expect(rows).toMatchObject([{ status: 'cancelled', queued: 0 }]);
      const waiting = await own.storage.read
        .selectFrom('deliveries')
        .select('status')
        .where('status', '!=', 'cancelled')
        .execute();
      expect(waiting).toEqual([]);
    } finally {
      await own.close();
    }
  });

  it('is rejected while another runs, for a webhook that is not live, and for an invalid range', async () => {
    const own = await startTestApp();
    try {
      await own.app.replays.stop();
      const { body: hook } = await own.client.post('/webhooks', HOOK);
      const path = `/webhooks/${hook.id}/replay`;
      for (const wrong of [
        {},
        { since: 'yesterday' },
        { since: '2029-02-30' },
        { since: '2031-01-01' },
        { since: '2029-01-02', until: '2029-01-01' },
        { since: '2029-01-01', until: 'now' },
      ])
        expect(statusAndCode(await own.client.post(path, wrong))).toEqual([400, 'invalid_body']);
      expect((await own.client.post(path, { since: '2029-01-01' })).status).toBe(201);
      const second = await own.client.post(path, { since: '2029-01-01' });
      expect(statusAndCode(second)).toEqual([409, 'replay_running']);
      await own.client.patch(`/webhooks/${hook.id}`, { status: 'paused' });
      const third = await own.client.post(path, { since: '2029-01-01' });
      expect(statusAndCode(third)).toEqual([409, 'webhook_not_live']);
      const unknown = await own.client.get(`/webhooks/${hook.id}/replays/rpl_nothing`);
      expect(statusAndCode(unknown)).toEqual([404, 'replay_not_found']);
    } finally {
      await own.close();
    }
  });
});
