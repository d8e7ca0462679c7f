import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { figure, rounds, timeoutMs } from '../../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../../harness/seeded-random.ts';
import { eventually } from '../../../webhooks/delivery-app.ts';
import { type Receiver, startReceiver } from '../../../webhooks/receiver.ts';
import { ServerProcess } from './server-process.ts';

const ROUNDS = { full: 200, quick: 3, atLeast: 2 };
const WRITERS = 8;
const PATHS = ['/one', '/two'];
const TOPICS = ['api-key.created', 'api-key.updated'];

let directory: string;
let server: ServerProcess;
let receiver: Receiver;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-kill-'));
  receiver = await startReceiver();
  server = await ServerProcess.on(directory);
});
afterAll(async () => {
  await server.end('SIGKILL');
  await receiver.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Acknowledged changes: their events must arrive. */
const acknowledged = { created: new Map<string, string>(), updated: new Set<string>() };

it(
  'every committed event arrives under one id, whenever the process is killed, and no other event does',
  async () => {
    const seed = runSeed();
    const random = new SeededRandom(seed);
    server.spawn();
    await server.ready();
    for (const path of PATHS) await addHook(path);
    await server.end('SIGKILL');

    const done = await rounds(ROUNDS, () => killUnderLoad(random));

    server.spawn();
    await server.ready();
    await eventually(pendingCount, (count) => count === 0);
    await server.end('SIGTERM');
    const { events, unerased } = storedEvents();
    checkArrivals(events);
    checkAcknowledged(events);
    expect(unerased).toBe(0);
    const repeats = receiver.received.length - events.size * PATHS.length;
    console.log(
      `kill -9: ${done} rounds (seed ${seed}), ${figure(events.size)} events to ${PATHS.length} webhooks, ${figure(acknowledged.created.size + acknowledged.updated.size)} acknowledged, 0 lost, 0 invented, ${figure(repeats)} sent again`,
    );
    expect(acknowledged.updated.size).toBeGreaterThan(0);
  },
  timeoutMs,
);

async function addHook(path: string): Promise<void> {
  const url = receiver.url + path;
  const hook = { name: path, url, topics: TOPICS, httpMethod: 'POST', status: 'live' };
  const response = await server.call('POST', '/webhooks', { ...hook, projectId: null });
  expect(response.status).toBe(201);
}

/** Usually kills under load; sometimes at startup, while the server releases old leases. */
async function killUnderLoad(random: SeededRandom): Promise<void> {
  server.spawn();
  if (acknowledged.updated.size > 0 && random.chance(0.1)) {
    await sleep(random.below(600));
    await server.end('SIGKILL');
    return;
  }
  await server.ready();
  const before = acknowledged.updated.size;
  const writers = Array.from({ length: WRITERS }, write);
  await expect.poll(() => acknowledged.updated.size, { interval: 5 }).toBeGreaterThan(before);
  await sleep(random.below(600));
  await server.end('SIGKILL');
  await Promise.all(writers);
}

/** Creates and renames keys until the connection fails. */
async function write(): Promise<void> {
  for (;;) {
    try {
      const made = await server.call('POST', '/api-keys', { name: 'made' });
      // A storage timeout: the change may or may not have been made.
      if (made.status === 503) continue;
      if (made.status !== 201) throw new Error(JSON.stringify(made.body));
      acknowledged.created.set(made.body.id, made.body.key);
      const name = `renamed ${made.body.id}`;
      const renamed = await server.call('PATCH', `/api-keys/${made.body.id}`, { name });
      if (renamed.status === 503) continue;
      if (renamed.status !== 200) throw new Error(JSON.stringify(renamed.body));
      acknowledged.updated.add(made.body.id);
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError) return;
      throw error;
    }
  }
}

async function pendingCount(): Promise<number> {
  await sleep(200);
  let count = 0;
  for (const { id } of (await server.call('GET', '/webhooks')).body)
    count += (await server.call('GET', `/webhooks/${id}/deliveries?status=pending&limit=1`)).body
      .length;
  return count;
}

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly keyId: string;
}

function storedEvents(): { events: Map<string, StoredEvent>; unerased: number } {
  const database = new DatabaseSync(join(directory, 'keyward.db'), { readOnly: true });
  const rows = database.prepare('SELECT id, type, data, sealed_data FROM events').all() as {
    id: string;
    type: string;
    data: string;
    sealed_data: string | null;
  }[];
  database.close();
  const events = rows.map(({ id, type, data }) => ({ id, type, keyId: JSON.parse(data).id }));
  return {
    events: new Map(events.map((event) => [event.id, event])),
    unerased: rows.filter(({ sealed_data }) => sealed_data !== null).length,
  };
}

/** Each stored event arrived at each webhook at least once, and no other event arrived. */
function checkArrivals(events: ReadonlyMap<string, StoredEvent>): void {
  const arrived = new Map(PATHS.map((path) => [path, new Set<string>()]));
  for (const { path, headers, body } of receiver.received) {
    const message = JSON.parse(body);
    const stored = events.get(message.id);
    if (stored === undefined)
      throw new Error(`An event arrived that is not stored: ${message.type} ${message.id}`);
    expect(headers['webhook-id']).toBe(message.id);
    expect({ type: message.type, keyId: message.data.id }).toEqual({
      type: stored.type,
      keyId: stored.keyId,
    });
    arrived.get(path)!.add(message.id);
  }
  for (const [path, ids] of arrived) {
    const lost = [...events.keys()].filter((id) => !ids.has(id));
    expect(lost, `lost at ${path}`).toEqual([]);
  }
}

/** One event for each acknowledged change; events of a creation always contain the value. */
function checkAcknowledged(events: ReadonlyMap<string, StoredEvent>): void {
  const counts = new Map<string, number>();
  for (const { type, keyId } of events.values())
    counts.set(`${type} ${keyId}`, (counts.get(`${type} ${keyId}`) ?? 0) + 1);
  for (const id of acknowledged.created.keys()) expect(counts.get(`api-key.created ${id}`)).toBe(1);
  for (const id of acknowledged.updated) expect(counts.get(`api-key.updated ${id}`)).toBe(1);
  for (const { body } of receiver.received) {
    const { type, data } = JSON.parse(body);
    const value = acknowledged.created.get(data.id);
    if (type === 'api-key.created' && value !== undefined) expect(data.key).toBe(value);
    if (type === 'api-key.updated') expect(data.key).not.toBe(value);
  }
}
