import { Agent, request } from 'node:http';
import { ACCESS_KEY } from './keyward-server.ts';

const CONNECTIONS = 32;
const BODY = JSON.stringify({ name: 'Made by the benchmark', customAccountId: 'customer-1' });

export interface Created {
  readonly keys: number;
  readonly seconds: number;
}

/** Creates keys over kept connections for a while. */
export async function createKeys(port: number, seconds: number): Promise<Created> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let keys = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      await createKey(port, agent);
      keys++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  agent.destroy();
  return { keys, seconds: (performance.now() - startedAt) / 1000 };
}

function createKey(port: number, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/api-keys',
        agent,
        headers: {
          'x-api-key': ACCESS_KEY,
          'content-type': 'application/json',
          'content-length': BODY.length,
        },
      },
      (answer) => {
        if (answer.statusCode !== 201) reject(new Error(`A create answered ${answer.statusCode}.`));
        answer.resume();
        answer.once('end', resolve);
      },
    );
    asked.once('error', reject);
    asked.end(BODY);
  });
}
