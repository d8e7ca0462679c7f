import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../webhooks/receiver.ts';
import { ServerProcess } from './crash/server-process.ts';

const TOPICS = ['api-key.expiring', 'api-key.expired', 'limit.threshold'];

let directory: string;
let server: ServerProcess;
let receiver: Receiver;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-downtime-'));
  receiver = await startReceiver();
  server = await ServerProcess.on(directory);
  await start();
  const hook = { name: 'Notices', url: `${receiver.url}/hook`, topics: TOPICS, projectId: null };
  const { status } = await server.call('POST', '/webhooks', { ...hook, status: 'live' });
  expect(status).toBe(201);
});
afterAll(async () => {
  await server.end('SIGKILL');
  await receiver.close();
  rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<void> {
  server.spawn();
  await server.ready();
}

const newKey = async (fields: object): Promise<{ id: string; key: string }> =>
  (await server.call('POST', '/api-keys', { name: 'Key', ...fields })).body;

/** The topics received about a key, in order, each event once however often it was sent. */
function noticesOf(keyId: string): string[] {
  const events = new Map(
    receiver.received.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body)]),
  );
  return [...events.values()].filter(({ data }) => data.id === keyId).map(({ type }) => type);
}

const received = (keyId: string, type: string) =>
  receiver.until(() => noticesOf(keyId).includes(type));

it('a running server sends notices by itself', async () => {
  const { id, key } = await newKey({
    expiry: new Date(Date.now() + 3_600_000).toISOString(),
    rateLimitConfigs: { rateLimit: 1, rateLimitTtl: 3_600 },
  });
  await received(id, 'api-key.expiring');
  await server.call('POST', '/api-keys/auth', { key });
  await received(id, 'limit.threshold');
  expect(noticesOf(id)).toEqual(['api-key.expiring', 'limit.threshold']);
});

it('a key that expires while the server is down is announced once when it starts again', async () => {
  let id: string | undefined;
  let expiresAt = 0;
  // With more time if the machine was too slow: a key cannot be created with a time in the past.
  for (let aheadMs = 3_000; id === undefined; aheadMs *= 2) {
    expiresAt = Date.now() + aheadMs;
    ({ id } = await newKey({ expiry: new Date(expiresAt).toISOString() }));
  }
  await server.end('SIGKILL');
  await sleep(Math.max(0, expiresAt - Date.now()) + 1);
  await start();
  await received(id, 'api-key.expired');
  // A second start finds nothing left to announce.
  await server.end('SIGTERM');
  await start();
  const next = await newKey({ expiry: new Date(Date.now() + 3_600_000).toISOString() });
  await received(next.id, 'api-key.expiring');
  expect(noticesOf(id).filter((type) => type === 'api-key.expired')).toHaveLength(1);
});
