import { Agent, request } from 'node:http';
import { ACCESS_KEY } from './keyward-server.ts';

const CONNECTIONS = 32;

/** Validates every key exactly once; any answer but 200 ends the benchmark. */
export async function validateEach(port: number, keys: readonly string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = 0;
  const work = async (): Promise<void> => {
    for (let key = keys[next++]; key !== undefined; key = keys[next++]) {
      const status = await validate(agent, port, key);
      if (status !== 200) throw new Error(`A known key was answered with ${status}.`);
    }
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
  } finally {
    agent.destroy();
  }
}

function validate(agent: Agent, port: number, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: `/api-keys/auth/${key}`,
      headers: { 'x-api-key': ACCESS_KEY },
    };
    const asked = request(options, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.once('error', reject);
    asked.end();
  });
}
