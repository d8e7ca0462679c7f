// 6 s of CPU: each test begins with a new installation.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeEvents } from '../harness/store-events.ts';
import { START, startTestApp, type TestApp } from '../harness/test-app.ts';

const SECOND = 1_000;
const DAY = 86_400_000;

let test: TestApp;
beforeEach(async () => {
  test = await startTestApp();
  await storeEvents(test.client);
});
afterEach(async () => {
  await test.close();
  expect(test.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});

const newKey = async (expiresAt: number, body: object = {}): Promise<{ id: string }> => {
  const fields = { name: 'Key', projectId: test.projectId, ...body };
  const expiry = new Date(expiresAt).toISOString();
  const response = await test.client.post('/api-keys', { ...fields, expiry });
  expect(response.status).toBe(201);
  return response.body;
};

/** Sets the clock, runs the background work, and returns the notices written so far. */
async function noticesAt(now: number) {
  test.clock.now = now;
  await test.app.signals.run();
  const rows = await test.storage.read
    .selectFrom('events')
    .selectAll()
    .where('type', 'in', ['api-key.expiring', 'api-key.expired'])
    .orderBy('id')
    .execute();
  return rows.map(({ type, data }) => {
    const { id, daysLeft } = JSON.parse(data);
    return type === 'api-key.expired' ? [id, 'expired'] : [id, daysLeft];
  });
}

describe('a key that expires', () => {
  it('is announced 30, 7 and 1 days before, and when it has expired', async () => {
    const { id } = await newKey(START + 40 * DAY);
    expect(await noticesAt(START + 10 * DAY - 1)).toEqual([]);
    expect(await noticesAt(START + 10 * DAY)).toEqual([[id, 30]]);
    expect(await noticesAt(START + 11 * DAY)).toHaveLength(1);
    expect(await noticesAt(START + 33 * DAY + SECOND)).toEqual([
      [id, 30],
      [id, 7],
    ]);
    expect(await noticesAt(START + 39 * DAY)).toHaveLength(3);
    expect((await noticesAt(START + 40 * DAY)).slice(2)).toEqual([
      [id, 1],
      [id, 'expired'],
    ]);
    expect(await noticesAt(START + 41 * DAY)).toHaveLength(4);
    expect(await test.storage.read.selectFrom('expiry_schedule').selectAll().execute()).toEqual([]);
  });

  it('is announced with its record, without its value', async () => {
    const { id } = await newKey(START + 5 * DAY, { customAccountId: 'acme' });
    await noticesAt(START);
    const [event] = await test.storage.read
      .selectFrom('events')
      .selectAll()
      .where('type', '=', 'api-key.expiring')
      .execute();
    const { body } = await test.client.get(`/api-keys/${id}`);
    expect(JSON.parse(event!.data)).toEqual({ ...body, daysLeft: 5 });
    expect(event).toMatchObject({ account_id: test.accountId, project_id: test.projectId });
  });

  it('is announced once for each expiry date, even if the date is changed and changed back', async () => {
    const { id } = await newKey(START + 5 * DAY);
    expect(await noticesAt(START)).toEqual([[id, 5]]);
    const set = (days: number) =>
      test.client.patch(`/api-keys/${id}`, {
        name: 'Key',
        expiry: new Date(START + days * DAY).toISOString(),
      });
    await set(50);
    expect(await noticesAt(START)).toHaveLength(1);
    await set(5);
    expect(await noticesAt(START)).toHaveLength(1);
    await set(6);
    expect((await noticesAt(START)).slice(1)).toEqual([[id, 6]]);
  });

  it('is not announced while it is revoked', async () => {
    const { id } = await newKey(START + 5 * DAY);
    await test.client.delete(`/api-keys/${id}`);
    expect(await noticesAt(START)).toEqual([]);
    await test.client.patch(`/api-keys/${id}/reactivate`);
    expect(await noticesAt(START)).toEqual([[id, 5]]);
  });

  it('is not announced while its project is inactive', async () => {
    const { id } = await newKey(START + 5 * DAY);
    await test.client.delete(`/projects/${test.projectId}`);
    expect(await noticesAt(START)).toEqual([]);
    await test.client.patch(`/projects/${test.projectId}/reactivate`);
    expect(await noticesAt(START)).toEqual([[id, 5]]);
  });

  it('is announced only when it has expired, if it was rotated', async () => {
    const { id } = (await test.client.post('/api-keys', { name: 'Key', projectId: test.projectId }))
      .body;
    const rotated = await test.client.post(`/api-keys/${id}/rotate`, { graceSeconds: 86_400 });
    expect(rotated.status).toBe(201);
    expect(await noticesAt(START)).toEqual([]);
    expect(await noticesAt(START + DAY)).toEqual([[id, 'expired']]);
  });

  it('is forgotten when it is erased', async () => {
    const { id } = await newKey(START + 50 * DAY);
    await test.app.signals.run();
    await test.client.delete(`/api-keys/${id}`);
    await test.client.delete(`/api-keys/${id}?permanent=true`);
    expect(await noticesAt(START + 50 * DAY)).toEqual([]);
  });
});

describe('after a pause', () => {
  it('only the notice closest to the expiry is sent', async () => {
    const { id } = await newKey(START + 40 * DAY);
    expect(await noticesAt(START + 34 * DAY)).toEqual([[id, 6]]);
    const other = await newKey(START + 60 * DAY);
    expect((await noticesAt(START + 61 * DAY)).slice(1)).toEqual([[other.id, 'expired']]);
  });

  it('nothing is announced that was due more than 7 days ago', async () => {
    await newKey(START + 10 * DAY);
    expect(await noticesAt(START + 10 * DAY + 7 * DAY + 1)).toEqual([]);
  });

  it('nothing is announced that was due before the upgrade', async () => {
    await newKey(START + 40 * DAY);
    await test.storage.transaction((tx) =>
      tx
        .updateTable('signal_cursors')
        .set({ position: START + 35 * DAY })
        .where('name', '=', 'upgraded at')
        .execute(),
    );
    expect(await noticesAt(START + 38 * DAY)).toEqual([]);
    expect(await noticesAt(START + 39 * DAY)).toHaveLength(1);
  });
});

describe('a clock that jumps', () => {
  it('does not repeat or lose notices', async () => {
    const { id } = await newKey(START + 40 * DAY);
    expect(await noticesAt(START + 33 * DAY)).toEqual([[id, 7]]);
    expect(await noticesAt(START + 400 * DAY)).toHaveLength(1);
    expect(await noticesAt(START + 33 * DAY + SECOND)).toHaveLength(1);
    expect((await noticesAt(START + 40 * DAY)).slice(1)).toEqual([[id, 'expired']]);
  });
});

describe('settings of the project', () => {
  const set = async (notices: object) => {
    const response = await test.client.patch(`/projects/${test.projectId}`, { notices });
    expect(response.status).toBe(200);
    return response.body.notices;
  };

  it('have defaults, and keep fields that an update omits', async () => {
    const { body } = await test.client.get(`/projects/${test.projectId}`);
    expect(body.notices).toEqual({ expiryDays: [30, 7, 1], thresholds: [0.8, 1], mailTo: [] });
    expect(body.usageEvents).toBe(null);
    expect(await set({ expiryDays: [3, 14] })).toEqual({
      expiryDays: [14, 3],
      thresholds: [0.8, 1],
      mailTo: [],
    });
    expect(await set({ mailTo: ['Ops@Example.com'], thresholds: [] })).toEqual({
      expiryDays: [14, 3],
      thresholds: [],
      mailTo: ['ops@example.com'],
    });
  });

  it('apply to existing keys', async () => {
    const keys = await Promise.all([60, 61].map((days) => newKey(START + days * DAY)));
    expect(await noticesAt(START + 5 * DAY)).toEqual([]);
    await set({ expiryDays: [55] });
    expect(await noticesAt(START + 5 * DAY)).toEqual([[keys[0]!.id, 55]]);
    expect((await noticesAt(START + 6 * DAY)).slice(1)).toEqual([[keys[1]!.id, 55]]);
  });

  it('announce only the expiry itself if they have no steps', async () => {
    await set({ expiryDays: [] });
    const { id } = await newKey(START + 5 * DAY);
    expect(await noticesAt(START + 4 * DAY)).toEqual([]);
    expect(await noticesAt(START + 5 * DAY)).toEqual([[id, 'expired']]);
  });

  it('are rejected if they are not valid', async () => {
    const refused = [
      { notices: { expiryDays: [0] } },
      { notices: { expiryDays: [1, 1] } },
      { notices: { thresholds: [1.1] } },
      { notices: { thresholds: [0] } },
      { notices: { mailTo: ['nobody'] } },
      { notices: { mailTo: ['a@example.com\nBcc: b@example.com'] } },
      { notices: { unknown: 1 } },
      { usageEvents: { interval: 'week', groupBy: 'key' } },
      { usageEvents: { interval: 'day' } },
    ];
    for (const body of refused) {
      const response = await test.client.patch(`/projects/${test.projectId}`, body);
      expect({ body, status: response.status }).toEqual({ body, status: 400 });
    }
  });
});
