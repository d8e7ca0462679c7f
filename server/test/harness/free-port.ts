import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux assigns by itself, so that no other process gets one before it is used. */
const [FIRST, LAST] = [10_000, 32_767];

let last = randomInt(FIRST, LAST);

/** A port that is free on 127.0.0.1. */
export async function freePort(): Promise<number> {
  for (;;) {
    last = last === LAST ? FIRST : last + 1;
    const port = last;
    const server = createServer();
    const isFree = new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!(await isFree)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
