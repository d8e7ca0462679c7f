import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { generateValue } from '#server/kernel/secrets/key-values.ts';

/**
 * A thread of `startUnknownCallers`: on each connection, one validation after the other, each with another access key
 * that does not exist and has a right checksum.
 */
const { port, connections } = workerData as { readonly port: number; readonly connections: number };
let answers = 0;

const sockets = Array.from({ length: connections }, () => {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  const send = () => {
    const accessKey = generateValue('live_access_');
    socket.write(
      `POST /api-keys/auth/a-value-of-nobody HTTP/1.1\r\nHost: x\r\nx-api-key: ${accessKey}\r\n\r\n`,
    );
  };
  let text = '';
  socket
    .on('error', () => {})
    .on('connect', send)
    .on('data', (piece) => {
      text += piece.toString('latin1');
      const start = text.indexOf('\r\n\r\n') + 4;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
      if (start < 4 || text.length < start + length) return;
      text = text.slice(start + length);
      answers++;
      send();
    });
  return socket;
});

parentPort!.once('message', () => {
  for (const socket of sockets) socket.destroy();
  parentPort!.postMessage(answers);
});
