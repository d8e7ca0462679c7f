import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/harness/test-app.ts';
import { ApiServer } from './api-server.ts';

const LONG_MS = 600_000;
const SHORT_MS = 20;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** Connects to a server with these timeouts and sends `text`. */
async function connectAndSend(text: string, overrides: { keepAlive: number; headers: number }) {
  const router = () => {
    throw new Error('Unexpected request for the router.');
  };
  const timeouts = { request: LONG_MS, checkEvery: 5, ...overrides };
  const server = new ApiServer({
    router,
    hotPath: test.app.validations,
    timeouts,
    closesConnections: () => false,
    onError(error) {
      throw error;
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(text);
  return { server, socket };
}

const closes = (socket: Socket): Promise<unknown> =>
  once(
    socket.on('data', () => {}).on('error', () => {}),
    'close',
  );

it('closes a connection that sends nothing', async () => {
  const { server, socket } = await connectAndSend('', { headers: SHORT_MS, keepAlive: LONG_MS });
  await closes(socket);
  server.close();
});

it('closes a connection that has sent half a request', async () => {
  const half = 'POST /api-keys/auth/x HTTP/1.1\r\n';
  const { server, socket } = await connectAndSend(half, { headers: SHORT_MS, keepAlive: LONG_MS });
  await closes(socket);
  server.close();
});

it('keeps a connection open after a response for the announced time', async () => {
  const request = `POST /api-keys/auth/x HTTP/1.1\r\nHost: x\r\nx-api-key: ${test.accessKey}\r\n\r\n`;
  // A busy process may read the request only after the timeout. Then a longer timeout is tried.
  for (let shortMs = SHORT_MS; ; shortMs *= 4) {
    const kept = await connectAndSend(request, { headers: shortMs, keepAlive: LONG_MS });
    const [response] = await Promise.race([
      once(
        kept.socket.on('error', () => {}),
        'data',
      ),
      once(kept.socket, 'close').then(() => [null]),
    ]);
    if (response === null) {
      kept.server.close();
      continue;
    }
    expect(String(response)).toContain('Keep-Alive: timeout=600');
    const left = await connectAndSend(request, { headers: LONG_MS, keepAlive: shortMs });
    await closes(left.socket);
    expect(kept.socket.readyState).toBe('open');
    kept.socket.destroy();
    kept.server.close();
    left.server.close();
    return;
  }
});
