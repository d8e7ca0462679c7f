import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runSeed, SeededRandom } from '../faults/seeded-random.ts';
import { TestRedis } from '../harness/redis.ts';
import { startCluster, type TestCluster } from './test-cluster.ts';

const LIMIT = 10;
const ASKED = 30;

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

/** For a new key with a limit and one without by turns, one behind the other. */
async function requests(): Promise<string> {
  const { client } = cluster.nodes[0]!;
  const rateLimitConfigs = { rateLimit: LIMIT, rateLimitTtl: 3_600 };
  const { body: limited } = await client.post('/api-keys', { name: 'limited', rateLimitConfigs });
  const { body: free } = await client.post('/api-keys', { name: 'free' });
  const asked = Array.from({ length: ASKED }, (_, n) => (n % 2 === 0 ? limited : free).key);
  return asked
    .map(
      (key) =>
        `POST /api-keys/auth/${key} HTTP/1.1\r\nHost: x\r\nx-api-key: ${cluster.accessKey}\r\n\r\n`,
    )
    .join('');
}

function connectToNode(): { socket: Socket; heard: () => string } {
  const socket = connect(Number(new URL(cluster.nodes[0]!.url).port), '127.0.0.1').setNoDelay();
  let text = '';
  socket.on('data', (piece) => {
    text += piece.toString('latin1');
  });
  return { socket, heard: () => text };
}

/** Those with a limit waited for Redis, those without for nobody, and none overtook another. */
function expectInOrder(text: string): void {
  const seen = [
    ...text.matchAll(/HTTP\/1\.1 (\d{3}) |ratelimit-consumed: (\d+)|"name":"(free)"/gi),
  ];
  const expected = Array.from({ length: ASKED }, (_, n) => {
    if (n % 2 === 1) return ['200', 'free'];
    const nth = n / 2 + 1;
    return [nth <= LIMIT ? '200' : '429', String(Math.min(nth, LIMIT))];
  });
  expect(seen.map(([, status, consumed, free]) => status ?? consumed ?? free)).toEqual(
    expected.flat(),
  );
}

it('answers pipelined requests in order, and closes after the last', async () => {
  const { socket, heard } = connectToNode();
  socket.end(await requests());
  await once(socket, 'close');
  expectInOrder(heard());
});

it.each([
  ['whole requests', (whole: number) => whole, 3],
  // The first that is not whole is for Node's parser, and so are all behind it.
  ['any pieces', () => 1, 400],
])('answers in order what comes as %s while others are waited for', async (_, unitOf, most) => {
  const random = new SeededRandom(runSeed());
  const { socket, heard } = connectToNode();
  const all = await requests();
  const unit = unitOf(all.length / ASKED);
  for (let at = 0; at < all.length; ) {
    const end = at + unit * (1 + random.below(most));
    socket.write(all.slice(at, end));
    at = end;
    if (random.below(2) === 0) await sleep(random.below(3));
  }
  // Node leaves whoever hangs up early without an answer.
  await expect.poll(() => heard().match(/HTTP\/1\.1/g)?.length).toBe(ASKED);
  socket.destroy();
  expectInOrder(heard());
});

it('drops a response for a client that left while Redis was asked, and answers the next', async () => {
  const gone = connectToNode();
  gone.socket.write(await requests(), () => gone.socket.destroy());
  await once(gone.socket, 'close');
  const { socket, heard } = connectToNode();
  socket.end(await requests());
  await once(socket, 'close');
  expectInOrder(heard());
});
