import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { findOnPath } from '../scripts/test-tools.ts';
import { LOAD_CORE, runChild } from './children.ts';
import { ACCESS_KEY } from './keyward-server.ts';

const SCRIPT = fileURLToPath(new URL('load/create-keys.lua', import.meta.url));
const CONNECTIONS = 32;
const BODY = JSON.stringify({ name: 'Made by the benchmark', customAccountId: 'customer-1' });

export interface Created {
  readonly keys: number;
  readonly seconds: number;
}

/** Creates keys over kept connections for a while, by wrk where it is there: it costs the least. */
export const createKeys = (port: number, seconds: number): Promise<Created> =>
  findOnPath(['wrk']) === null ? createByNode(port, seconds) : createByWrk(port, seconds);

async function createByWrk(port: number, seconds: number): Promise<Created> {
  const printed = await runChild(
    'wrk',
    [
      '--threads=1',
      `--connections=${CONNECTIONS}`,
      `--duration=${Math.ceil(seconds)}s`,
      '--timeout=10s',
      `--script=${SCRIPT}`,
      `http://127.0.0.1:${port}`,
      ...['--', ACCESS_KEY, BODY],
    ],
    {
      core: LOAD_CORE,
      interruptAfterMs: Number.isInteger(seconds) ? undefined : seconds * 1000,
    },
  );
  const line = printed.split('\n').findLast((text) => text.startsWith('{'));
  const told = JSON.parse(line ?? '{"failures":1}') as Created & { failures: number };
  if (told.failures > 0) throw new Error(`${told.failures} creates failed.`);
  return told;
}

async function createByNode(port: number, seconds: number): Promise<Created> {
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
