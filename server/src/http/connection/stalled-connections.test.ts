import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { StalledConnections, sentBytesOf } from './stalled-connections.ts';

const STALLED_MS = 30_000;
const opened: { destroy?(): unknown; close?(): unknown }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.destroy?.() ?? each.close?.();
});

/** A connection whose client reads only after `resume`. */
async function pair(): Promise<{ stalled: StalledConnections; client: Socket; server: Socket }> {
  const listener = createServer();
  const stalled = new StalledConnections(listener, STALLED_MS);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const accepted = once(listener, 'connection') as Promise<[Socket]>;
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1').pause();
  const [server] = await accepted;
  server.on('error', () => {});
  opened.push(listener, client, server);
  return { stalled, client, server };
}

it('closes a connection whose client has read nothing for 30 seconds, and no earlier', async () => {
  const { stalled, server } = await pair();
  server.write(Buffer.alloc(20_000_000));
  await expect.poll(() => server.writableLength).toBeGreaterThan(0);
  stalled.check(0);
  stalled.check(STALLED_MS - 1);
  expect(server.destroyed).toBe(false);
  stalled.check(STALLED_MS);
  expect(server.destroyed).toBe(true);
});

it('leaves a slow reader alone, even within one large write', async () => {
  const { stalled, client, server } = await pair();
  server.write(Buffer.alloc(20_000_000));
  await expect.poll(() => server.writableLength).toBeGreaterThan(0);
  stalled.check(0);
  const before = sentBytesOf(server);
  // Reads until the kernel has taken more bytes from the server, then stops.
  client.on('data', () => sentBytesOf(server) > before && client.pause()).resume();
  await expect.poll(() => sentBytesOf(server)).toBeGreaterThan(before);
  expect(server.writableLength).toBe(20_000_000);
  stalled.check(STALLED_MS);
  stalled.check(STALLED_MS * 2 - 1);
  expect(server.destroyed).toBe(false);
});

it('leaves a connection alone that has nothing to send', async () => {
  const { stalled, server } = await pair();
  for (const now of [0, STALLED_MS, STALLED_MS * 3]) stalled.check(now);
  expect(server.destroyed).toBe(false);
});
