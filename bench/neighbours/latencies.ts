import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

interface Steady {
  readonly port: number;
  readonly accessKey: string;
  readonly keys: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
}

/**
 * Sends validations at a constant rate and takes their latency from when each was due: a pause of the
 * server then counts for every request that was due during it.
 */
export function latenciesOfValidations({
  port,
  accessKey,
  keys,
  perSecond,
  seconds,
}: Steady): Promise<number[]> {
  const startedAt = performance.now();
  const requests = Array.from({ length: perSecond * seconds }, async (_, n) => {
    const dueMs = (n * 1000) / perSecond;
    await sleep(dueMs);
    await validate(port, accessKey, keys[n % keys.length]!);
    return performance.now() - startedAt - dueMs;
  });
  return Promise.all(requests);
}

function validate(port: number, accessKey: string, key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': accessKey };
    const options = { agent, host: '127.0.0.1', port, method: 'POST', headers };
    request({ ...options, path: `/api-keys/auth/${key}` }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`A validation returned ${response.statusCode}.`));
      });
    })
      .once('error', reject)
      .end();
  });
}
