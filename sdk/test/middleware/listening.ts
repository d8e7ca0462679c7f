import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Get = (headers?: Record<string, string>, query?: string) => Promise<Response>;

/** Runs `use` with the URL of the listening server, then closes it. */
export async function listening<T>(server: Server, use: (url: string) => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Runs `use` against the server's `GET /hello`, then closes it. */
export const whileListening = <T>(server: Server, use: (get: Get) => Promise<T>): Promise<T> =>
  listening(server, (url) =>
    use((headers = {}, query = '') => fetch(`${url}/hello${query}`, { headers })),
  );
