import { Agent, request } from 'node:http';
import { ACCESS_KEY } from './keyward-server.ts';

const CONNECTIONS = 64;
const TICK_MS = 10;

export interface Changed {
  readonly changes: number;
  readonly failures: number;
  readonly seconds: number;
}

/**
 * Renames keys, one after the other, at an even pace until told to stop. A change that is due while
 * all connections wait is made as soon as one is free, so that what is told is what was reached.
 */
export function changeKeys(port: number, keys: readonly string[], perSecond: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const startedAt = performance.now();
  let [begun, changes, failures, underWay] = [0, 0, 0, 0];
  const tick = (): void => {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
    for (; begun < due && underWay < CONNECTIONS; begun++) {
      underWay++;
      rename(agent, port, keys[begun % keys.length]!, `Change ${begun}`).then(
        (status) => {
          underWay--;
          if (status === 200) changes++;
          else failures++;
        },
        () => {
          underWay--;
          failures++;
        },
      );
    }
  };
  const ticking = setInterval(tick, TICK_MS);
  return {
    async stop(): Promise<Changed> {
      clearInterval(ticking);
      const seconds = (performance.now() - startedAt) / 1000;
      while (underWay > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      agent.destroy();
      return { changes, failures, seconds };
    },
  };
}

function rename(agent: Agent, port: number, key: string, name: string): Promise<number> {
  const body = JSON.stringify({ name });
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method: 'PATCH',
        path: `/api-keys/${key}`,
        headers: {
          'x-api-key': ACCESS_KEY,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (answer) => answer.resume().once('end', () => resolve(answer.statusCode ?? 0)),
    );
    asked.once('error', reject);
    asked.end(body);
  });
}
