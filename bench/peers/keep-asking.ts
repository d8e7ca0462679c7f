import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * Asks one server over connections that stay open, each again as soon as it is answered. Arguments:
 * the server's port, the API key that is sent, how many connections. Answers each line
 * `PATH REQUESTS` when so many have been answered; any answer but 200 ends it.
 */
const [port = '', key = '', connections = ''] = process.argv.slice(2);

/** With the headers that `fetch` of Node sends. */
const requestFor = (path: string): Buffer =>
  Buffer.from(
    [
      `GET ${path} HTTP/1.1`,
      `host: 127.0.0.1:${port}`,
      'connection: keep-alive',
      `x-api-key: ${key}`,
      'accept: */*',
      'accept-language: *',
      'sec-fetch-mode: cors',
      'user-agent: node',
      'accept-encoding: gzip, deflate',
      '\r\n',
    ].join('\r\n'),
  );

/** A path is always answered with as many bytes: looked up once, the rest is counting. */
const lengths = new Map<string, number>();

function lengthOf(path: string, answer: Buffer): number {
  const known = lengths.get(path);
  if (known !== undefined) return known;
  const [head = ''] = answer.toString('latin1').split('\r\n\r\n', 1);
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (length === undefined) throw new Error(`No length is told in ${head}`);
  const whole = head.length + 4 + Number(length);
  lengths.set(path, whole);
  return whole;
}

const OK = 'HTTP/1.1 200 ';

/** Until `isOver`, which is asked before each request. */
function keepAsking(socket: Socket, path: string, isOver: () => boolean): Promise<void> {
  const request = requestFor(path);
  return new Promise((resolve) => {
    let missing = 0;
    const next = (): void => {
      if (!isOver()) {
        socket.write(request);
        return;
      }
      socket.off('data', take);
      resolve();
    };
    const take = (bytes: Buffer): void => {
      if (missing === 0) {
        if (bytes.toString('latin1', 0, OK.length) !== OK) throw new Error(`Answered: ${bytes}`);
        missing = lengthOf(path, bytes);
      }
      missing -= bytes.length;
      if (missing < 0) throw new Error('An answer is longer than the first.');
      if (missing === 0) next();
    };
    socket.on('data', take);
    next();
  });
}

const sockets = await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return socket;
  }),
);

for await (const line of createInterface({ input: process.stdin })) {
  const [path = '', requests = ''] = line.split(' ');
  let left = Number(requests);
  const isOver = (): boolean => left-- <= 0;
  await Promise.all(sockets.map((socket) => keepAsking(socket, path, isOver)));
  process.stdout.write('{}\n');
}
process.exit(0);
