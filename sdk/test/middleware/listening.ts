import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Get = (headers?: Record<string, string>, query?: string) => Promise<Response>;

/** Runs `use` against the server's `GET /hello`, then closes it. */
export async function whileListening<T>(server: Server, use: (get: Get) => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hello`;
  try {
    return await use((headers = {}, query = '') => fetch(url + query, { headers }));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
