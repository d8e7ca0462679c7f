import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Listens on every IPv4 and IPv6 address of the machine; no delivery may ever reach it. */
export async function startCanary() {
  const state = { connections: 0, bytes: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    state.connections++;
    sockets.add(socket.on('error', () => {}));
    socket.on('data', (chunk) => {
      state.bytes += chunk.length;
      socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 6\r\n\r\ncanary');
    });
  });
  server.listen({ port: 0, host: '::' });
  await once(server, 'listening');
  return {
    state,
    port: (server.address() as AddressInfo).port,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
