// 6 s of CPU: each test begins with a new installation and a receiver.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { claimDue } from '../../src/features/webhooks/sending/claims.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import {
  addKey,
  addWebhook,
  attemptRows,
  deliveryRows,
  eventually,
  LOOPBACK,
  later,
  startEngine,
} from './delivery-app.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let app: TestApp;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
  app = await startTestApp({ webhookAllow: LOOPBACK });
});
afterEach(async () => {
  await receiver.close();
  await app.close();
});

const untilStatus = (webhookId: string, status: string) =>
  eventually(
    () => deliveryRows(app, webhookId),
    (rows) =>
      rows.length > 0 && rows.every((row) => row.status === status && row.lease_token === null),
  );

const untilAttempts = (webhookId: string, times: number) =>
  eventually(
    () => deliveryRows(app, webhookId),
    (rows) => rows.some((row) => row.attempts === times && row.lease_token === null),
  );

async function keyOf(eventId: string): Promise<string> {
  const event = await app.storage.point
    .selectFrom('events')
    .select('data')
    .where('id', '=', eventId)
    .executeTakeFirstOrThrow();
  return JSON.parse(event.data).id;
}

describe('an event', () => {
  it('arrives with its envelope, our headers and the webhook’s headers', async () => {
    const hook = await addWebhook(app, `${receiver.url}/ok`, {
      httpMethod: 'PUT',
      customHeaders: { 'X-Tenant': 'acme' },
    });
    const made = await addKey(app);
    await untilStatus(hook.id, 'delivered');

    expect(receiver.received).toHaveLength(1);
    const { method, headers, body } = receiver.received[0]!;
    const message = JSON.parse(body);
    expect(method).toBe('PUT');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Keyward\/\d/),
      'x-tenant': 'acme',
      'webhook-id': message.id,
      'webhook-timestamp': String(app.clock.now / SECOND),
    });
    expect(Object.keys(message)).toEqual([
      'id',
      'type',
      'timestamp',
      'accountId',
      'projectId',
      'data',
    ]);
    expect(message).toMatchObject({
      type: 'api-key.created',
      timestamp: new Date(app.clock.now).toISOString(),
      accountId: app.accountId,
      projectId: app.projectId,
      data: { id: made.id, key: made.key },
    });
    const [attempt, ...more] = await attemptRows(app, hook.id);
    expect(attempt).toMatchObject({ status_code: 200, error: null, started_at: app.clock.now });
    expect(more).toEqual([]);
  });

  it('goes to every subscribed webhook and no other', async () => {
    const hooks = [];
    for (const path of ['a', 'b', 'c'])
      hooks.push(await addWebhook(app, `${receiver.url}/${path}`));
    await addWebhook(app, `${receiver.url}/other`, { topics: ['api-key.deleted'] });
    await addKey(app);
    for (const hook of hooks) await untilStatus(hook.id, 'delivered');
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/a', '/b', '/c']);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('that is held with its inactive project is sent when the project is active again', async () => {
    const hook = await addWebhook(app, `${receiver.url}/held`);
    await app.app.deliveries.stop();
    await addKey(app);
    await app.client.delete(`/projects/${app.projectId}`);
    const engine = await startEngine(app);
    await untilStatus(hook.id, 'held');
    expect(receiver.received).toEqual([]);

    await app.client.patch(`/projects/${app.projectId}/reactivate`);
    engine.wake([hook.id]);
    await untilStatus(hook.id, 'delivered');
    expect(receiver.received).toHaveLength(1);
    await engine.stop();
  });
});

describe('a delivery that fails', () => {
  it('is tried eight times at growing intervals, then fails', async () => {
    const hook = await addWebhook(app, `${receiver.url}/error`);
    await addKey(app);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 7; attempt++) {
      const [row] = await untilAttempts(hook.id, attempt);
      expect(row).toMatchObject({ status: 'pending', lane: 1, last_status_code: 500 });
      waits.push(row!.due_at - app.clock.now);
      later(app, waits.at(-1)! - 1);
      expect(receiver.received).toHaveLength(attempt);
      later(app, 1);
    }
    const [over] = await untilAttempts(hook.id, 8);
    expect(over).toMatchObject({ status: 'failed', last_error: 'HTTP 500' });
    const schedule = [
      5 * SECOND,
      300 * SECOND,
      1800 * SECOND,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      10 * HOUR,
    ];
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(schedule[index]! * 0.8);
      expect(wait).toBeLessThanOrEqual(schedule[index]! * 1.2);
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await attemptRows(app, hook.id)).toHaveLength(8);
  });

  it('is retried after the first attempts of other deliveries', async () => {
    const hook = await addWebhook(app, `${receiver.url}/late`);
    receiver.statuses.set('/late', 500);
    const first = await addKey(app, 'first');
    await untilAttempts(hook.id, 1);
    receiver.statuses.delete('/late');
    await app.app.deliveries.stop();
    app.clock.now += 10 * SECOND;
    const second = await addKey(app, 'second');
    const third = await addKey(app, 'third');
    const claimKeys = async (slots: number) => {
      const { now } = app.clock;
      const lease = { now, until: now + 10 * SECOND, token: 'test' };
      const claimed = await app.storage.transaction((tx) =>
        claimDue(tx, [{ webhookId: hook.id, slots }], lease),
      );
      return Promise.all(claimed.map(({ eventId }) => keyOf(eventId)));
    };
    expect(await claimKeys(1)).toEqual([second.id]);
    expect(await claimKeys(4)).toEqual([third.id, first.id]);
  });

  it('is retried when it is due, without waiting for a refresh', async () => {
    const hook = await addWebhook(app, `${receiver.url}/error`);
    await app.app.deliveries.stop();
    const keys = 20;
    for (let n = 0; n < keys; n++) await addKey(app);
    const engine = await startEngine(app, { refreshMs: 3_600_000 });
    for (const attempts of [1, 2]) {
      let rows = await deliveryRows(app, hook.id);
      while (rows.some((row) => row.attempts < attempts)) {
        // Advances the clock to one retry at a time: each has its own jitter, so its time is read from the
        // rows.
        const next = Math.min(
          ...rows.filter((row) => row.attempts < attempts).map((row) => row.due_at),
        );
        app.clock.now = Math.max(app.clock.now, next);
        engine.wake([]);
        rows = await eventually(
          () => deliveryRows(app, hook.id),
          (seen) => seen.some((row, n) => row.attempts > rows[n]!.attempts),
        );
      }
    }
    expect(receiver.received).toHaveLength(2 * keys);
    await engine.stop();
  });

  it('records when its webhook began to fail, until a delivery succeeds', async () => {
    const hook = await addWebhook(app, `${receiver.url}/flaky`);
    const failingSince = async () =>
      (
        await app.storage.point
          .selectFrom('webhooks')
          .select('failing_since')
          .where('id', '=', hook.id)
          .executeTakeFirstOrThrow()
      ).failing_since;
    receiver.statuses.set('/flaky', 503);
    const start = app.clock.now;
    await addKey(app);
    await untilAttempts(hook.id, 1);
    expect(await failingSince()).toBe(start);
    later(app, 7 * SECOND);
    await untilAttempts(hook.id, 2);
    expect(await failingSince()).toBe(start);
    receiver.statuses.delete('/flaky');
    later(app, HOUR);
    await untilStatus(hook.id, 'delivered');
    expect(await failingSince()).toBeNull();
  });
});

describe('a webhook', () => {
  const statusOf = (id: string) =>
    app.storage.point
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  const audited = () =>
    app.storage.read
      .selectFrom('audit_log')
      .selectAll()
      .where('action', '=', 'webhook.disabled')
      .execute();

  it('is disabled by a 410, with waiting deliveries held, an audit row and a log line', async () => {
    const hook = await addWebhook(app, `${receiver.url}/gone`);
    receiver.statuses.set('/gone', 500);
    await addKey(app, 'waits');
    await untilAttempts(hook.id, 1);
    receiver.statuses.set('/gone', 410);
    await addKey(app, 'is rejected');
    await eventually(
      () => statusOf(hook.id),
      ({ status }) => status === 'disabled',
    );
    const [waiting, rejected] = await deliveryRows(app, hook.id);
    expect(waiting).toMatchObject({ status: 'held', attempts: 1 });
    expect(rejected).toMatchObject({ status: 'failed', last_status_code: 410 });
    const [row] = await audited();
    expect(row).toMatchObject({
      actor_type: 'system',
      target_id: hook.id,
      account_id: app.accountId,
    });
    expect(app.log.filter((line) => line.includes('webhook disabled'))).toHaveLength(1);

    later(app, DAY);
    await addKey(app, 'has no subscriber');
    expect(await deliveryRows(app, hook.id)).toHaveLength(2);
    expect(receiver.received).toHaveLength(2);
  });

  it('is not disabled by a 410 of the URL that it had before, and the new URL gets the event', async () => {
    let hook: { id: string };
    const server = createServer(async (_request, response) => {
      app.clock.now += 1;
      await app.client.patch(`/webhooks/${hook.id}`, { url: `${receiver.url}/new` });
      response.writeHead(410).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    hook = await addWebhook(app, `http://127.0.0.1:${port}/old`);
    await addKey(app);
    const [row] = await untilAttempts(hook.id, 1);
    expect(row).toMatchObject({ status: 'pending', last_status_code: 410 });
    expect((await statusOf(hook.id)).status).toBe('live');
    later(app, 7 * SECOND);
    await untilStatus(hook.id, 'delivered');
    expect(receiver.received.map(({ path }) => path)).toEqual(['/new']);
  });

  it('is disabled after exactly five days of failures', async () => {
    const hook = await addWebhook(app, `${receiver.url}/error`);
    const steps = [0, 2 * DAY, 2 * DAY, DAY - 1];
    for (const [index, step] of steps.entries()) {
      app.clock.now += step;
      await addKey(app);
      await eventually(
        () => deliveryRows(app, hook.id),
        (rows) => rows[index]?.attempts === 1,
      );
      expect((await statusOf(hook.id)).status).toBe('live');
    }
    app.clock.now += 1;
    await addKey(app);
    const { disabled_reason } = await eventually(
      () => statusOf(hook.id),
      (row) => row.status === 'disabled',
    );
    expect(disabled_reason).toContain('five days');
    expect(await audited()).toHaveLength(1);
    // Another attempt of the webhook may still be running.
    await eventually(
      () => deliveryRows(app, hook.id),
      (rows) => rows.every(({ status }) => status !== 'pending'),
    );
  });

  it('that is rarely used is not disabled for two failures far apart', async () => {
    const hook = await addWebhook(app, `${receiver.url}/error`);
    const failOnce = async (wanted: number) => {
      await addKey(app);
      await eventually(
        () => attemptRows(app, hook.id),
        (rows) => rows.length >= wanted,
      );
      // A waiting delivery would be retried with the next one and end the quiet period.
      await app.storage.transaction((tx) =>
        tx.updateTable('deliveries').set({ status: 'failed' }).execute(),
      );
    };
    await failOnce(1);
    app.clock.now += 2 * DAY + 1;
    await failOnce(2);
    app.clock.now += 3 * DAY;
    const quietUntil = app.clock.now;
    await failOnce(3);
    expect(await statusOf(hook.id)).toMatchObject({ status: 'live', failing_since: quietUntil });
    for (const wanted of [4, 5]) {
      app.clock.now += 2 * DAY;
      await failOnce(wanted);
      expect((await statusOf(hook.id)).status).toBe('live');
    }
    app.clock.now += DAY;
    await failOnce(6);
    await eventually(
      () => statusOf(hook.id),
      (row) => row.status === 'disabled',
    );
  });

  it('that is deleted, paused or in an inactive project sends nothing', async () => {
    const deleted = await addWebhook(app, `${receiver.url}/deleted`);
    const paused = await addWebhook(app, `${receiver.url}/paused`);
    const live = await addWebhook(app, `${receiver.url}/live`);
    await app.app.deliveries.stop();
    await addKey(app);
    // Changes the rows directly, like a concurrent change on another node.
    await app.storage.transaction(async (tx) => {
      await tx
        .updateTable('webhooks')
        .set({ deleted_at: 1 })
        .where('id', '=', deleted.id)
        .execute();
      await tx
        .updateTable('webhooks')
        .set({ status: 'paused' })
        .where('id', '=', paused.id)
        .execute();
    });
    const again = await startEngine(app);
    await untilStatus(live.id, 'delivered');
    await untilStatus(deleted.id, 'cancelled');
    await untilStatus(paused.id, 'held');
    expect(receiver.received.map(({ path }) => path)).toEqual(['/live']);
    await again.stop();
  });
});

it('standardwebhooks verifies every delivery, with each of two valid secrets', async () => {
  const real = await startTestApp({ webhookAllow: LOOPBACK, realClock: true });
  try {
    const hook = await addWebhook(real, `${receiver.url}/signed`);
    await addKey(real);
    await receiver.until((received) => received.length === 1);
    const rotated = await real.client.post(`/webhooks/${hook.id}/rotate-secret`);
    await addKey(real);
    await receiver.until((received) => received.length === 2);
    const [before, after] = receiver.received;
    const { secret } = rotated.body as { secret: string };

    new Webhook(hook.secret).verify(before!.body, before!.headers);
    new Webhook(hook.secret).verify(after!.body, after!.headers);
    new Webhook(secret).verify(after!.body, after!.headers);
    expect(() => new Webhook(secret).verify(before!.body, before!.headers)).toThrow();
    expect(() =>
      new Webhook(secret).verify(after!.body.replace('live', 'test'), after!.headers),
    ).toThrow();
    const old = { ...after!.headers, 'webhook-timestamp': '1500000000' };
    expect(() => new Webhook(secret).verify(after!.body, old)).toThrow();
  } finally {
    await real.close();
  }
});
