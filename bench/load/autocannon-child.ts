import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import type { LoadRequest, LoadResult } from './load.ts';

const asked = JSON.parse(process.argv[2]!) as LoadRequest;
const keys = readFileSync(asked.keysFile, 'utf8').trimEnd().split('\n');

let turn = asked.firstKey;
const result = await autocannon({
  url: `http://127.0.0.1:${asked.port}`,
  connections: asked.connections,
  duration: asked.seconds,
  method: 'POST',
  headers: { 'x-api-key': asked.accessKey },
  requests: [
    {
      setupRequest: (request) => ({
        ...request,
        path: `/api-keys/auth/${keys[turn++ % keys.length]}`,
      }),
    },
  ],
});

const told: LoadResult = {
  requests: result.requests.total,
  seconds: result.duration,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  failures: result.non2xx + result.errors + result.timeouts,
};
console.log(JSON.stringify(told));
