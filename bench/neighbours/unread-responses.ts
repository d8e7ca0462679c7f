import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { LARGE_PAGE } from './large-pages.ts';

/**
 * Opens connections that request a response each and read nothing of it. The server closes them after
 * 30 seconds.
 */
export async function startUnreadResponses({
  port,
  accessKey,
  connections = 200,
  path = LARGE_PAGE,
}: {
  readonly port: number;
  readonly accessKey: string;
  readonly connections?: number;
  readonly path?: string;
}): Promise<{ stop(): void }> {
  const sockets: Socket[] = [];
  for (let n = 0; n < connections; n++) {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => {});
    sockets.push(socket);
  }
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${accessKey}\r\n\r\n`);
  return {
    stop() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
