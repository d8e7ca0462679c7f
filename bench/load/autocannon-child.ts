import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import type { LoadRequest, LoadResult } from './load.ts';

const asked = JSON.parse(process.argv[2]!) as LoadRequest;
const keys = readFileSync(asked.keysFile, 'utf8').trimEnd().split('\n');
const { keysPerCall, accessKey } = asked;

let turn = asked.firstKey;
const next = (): string => keys[turn++ % keys.length]!;
const one = () => ({ path: `/api-keys/auth/${next()}` });
const several = () => ({
  path: '/api-keys/auth',
  body: JSON.stringify({ keys: Array.from({ length: keysPerCall }, next) }),
});

const result = await autocannon({
  url: `http://127.0.0.1:${asked.port}`,
  connections: asked.connections,
  duration: asked.seconds,
  method: 'POST',
  headers: {
    'x-api-key': accessKey,
    ...(keysPerCall > 1 && { 'content-type': 'application/json' }),
  },
  requests: [
    { setupRequest: (request) => ({ ...request, ...(keysPerCall > 1 ? several() : one()) }) },
  ],
});

const told: LoadResult = {
  requests: result.requests.total,
  seconds: result.duration,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  p999Ms: result.latency.p99_9,
  refused: result.non2xx,
  failures: result.errors + result.timeouts,
};
console.log(JSON.stringify(told));
