import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestRedis } from '../../harness/redis/redis.ts';
import { runSeed, SeededRandom } from '../../harness/seeded-random.ts';
import { startCluster, type TestCluster } from '../../harness/test-cluster.ts';

const LIMIT = 10;
const REQUESTS = 30;

let redis: TestRedis;
let cluster: TestCluster;
beforeAll(async () => {
  redis = await TestRedis.start();
  cluster = await startCluster({ redisUrl: redis.url, nodes: 1 });
});
afterAll(async () => {
  await cluster?.dispose();
  await redis?.dispose();
});

/** Pipelined requests that alternate between a new key with a limit and one without. */
async function requests(): Promise<string> {
  const { client } = cluster.nodes[0]!;
  const rateLimitConfigs = { rateLimit: LIMIT, rateLimitTtl: 3_600 };
  const { body: limited } = await client.post('/api-keys', { name: 'limited', rateLimitConfigs });
  const { body: free } = await client.post('/api-keys', { name: 'free' });
  const keys = Array.from({ length: REQUESTS }, (_, n) => (n % 2 === 0 ? limited : free).key);
  return keys
    .map(
      (key) =>
        `POST /api-keys/auth/${key} HTTP/1.1\r\nHost: x\r\nx-api-key: ${cluster.accessKey}\r\n\r\n`,
    )
    .join('');
}

function connectToNode(): { socket: Socket; received: () => string } {
  const socket = connect(Number(new URL(cluster.nodes[0]!.url).port), '127.0.0.1').setNoDelay();
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  return { socket, received: () => text };
}

/** Requests with a limit wait for Redis, the others do not; the responses must still be in order. */
function expectInOrder(text: string): void {
  const seen = [
    ...text.matchAll(/HTTP\/1\.1 (\d{3}) |ratelimit-consumed: (\d+)|"name":"(free)"/gi),
  ];
  const expected = Array.from({ length: REQUESTS }, (_, n) => {
    if (n % 2 === 1) return ['200', 'free'];
    const nth = n / 2 + 1;
    return [nth <= LIMIT ? '200' : '429', String(Math.min(nth, LIMIT))];
  });
  expect(seen.map(([, status, consumed, free]) => status ?? consumed ?? free)).toEqual(
    expected.flat(),
  );
}

it('answers pipelined requests in order, and closes after the last', async () => {
  const { socket, received } = connectToNode();
  socket.end(await requests());
  await once(socket, 'close');
  expectInOrder(received());
});

it.each([
  ['whole requests', (whole: number) => whole, 3],
  // Node's parser handles the first incomplete request and all that follow.
  ['arbitrary chunks', () => 1, 400],
])('answers %s in order while earlier requests are waiting', async (_, unitOf, most) => {
  const random = new SeededRandom(runSeed());
  const { socket, received } = connectToNode();
  const all = await requests();
  const unit = unitOf(all.length / REQUESTS);
  for (let at = 0; at < all.length; ) {
    const end = at + unit * (1 + random.below(most));
    socket.write(all.slice(at, end));
    at = end;
    if (random.below(2) === 0) await sleep(random.below(3));
  }
  // Node sends no response to a client that closes early.
  await expect.poll(() => received().match(/HTTP\/1\.1/g)?.length).toBe(REQUESTS);
  socket.destroy();
  expectInOrder(received());
});

it('drops the response for a client that disconnected during the Redis call, and answers the next client', async () => {
  const gone = connectToNode();
  gone.socket.write(await requests(), () => gone.socket.destroy());
  await once(gone.socket, 'close');
  const { socket, received } = connectToNode();
  socket.end(await requests());
  await once(socket, 'close');
  expectInOrder(received());
});
