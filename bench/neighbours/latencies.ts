import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Clients retry a request that an overloaded server refused; its latency includes that. */
const RETRY_MS = 100;

interface Rate {
  readonly port: number;
  readonly accessKey: string;
  readonly perSecond: number;
  readonly seconds: number;
}

type Steady = Rate & { readonly keys: readonly string[] };

export const latenciesOfValidations = ({ keys, ...rate }: Steady): Promise<number[]> =>
  latenciesOf(rate, 'POST', (n) => `/api-keys/auth/${keys[n % keys.length]}`);

/** Of a list that a dashboard shows. */
export const latenciesOfLists = (rate: Rate): Promise<number[]> =>
  latenciesOf(rate, 'GET', () => '/api-keys?limit=20');

/**
 * Sends requests at a constant rate and takes their latency from when each was due: a pause of the server then
 * counts for every request that was due during it.
 */
function latenciesOf(
  { port, accessKey, perSecond, seconds }: Rate,
  method: string,
  pathOf: (n: number) => string,
): Promise<number[]> {
  const startedAt = performance.now();
  const requests = Array.from({ length: perSecond * seconds }, async (_, n) => {
    const dueMs = (n * 1000) / perSecond;
    await sleep(dueMs);
    while (!(await send(port, accessKey, method, pathOf(n)))) await sleep(RETRY_MS);
    return performance.now() - startedAt - dueMs;
  });
  return Promise.all(requests);
}

/** False if the server was overloaded. */
function send(port: number, accessKey: string, method: string, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': accessKey };
    request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200 || response.statusCode === 503)
          resolve(response.statusCode === 200);
        else reject(new Error(`${method} ${path} returned ${response.statusCode}.`));
      });
    })
      .once('error', reject)
      .end();
  });
}
