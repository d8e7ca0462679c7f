import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createIds } from '../../../src/kernel/ids.ts';
import { TestRedis } from '../../harness/redis/redis.ts';
import { figure, rounds, timeoutMs } from '../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../harness/seeded-random.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { RedisNodes } from './redis-nodes.ts';

const NODES = 2;
const LIMIT = 100;
const ASKED_PER_NODE = 200;
const ASK_EVERY_MS = 5;
const STALL_MS = [20, 500] as const;
/** How long a check waits: twice as long as in production, so that a slow reply is not a lost connection. */
const TIMEOUT_MS = 100;
/** The longest pause between two stalls. */
const PAUSE_MS_MAX = 400;
const makeId = createIds();

let redis: TestRedis;
let proxy: TcpProxy;
let nodes: RedisNodes;
beforeAll(async () => {
  redis = await TestRedis.start();
  proxy = await TcpProxy.to('127.0.0.1', redis.port);
  const url = proxy.via(redis.url);
  nodes = await RedisNodes.start(
    Array.from({ length: NODES }, () => url),
    TIMEOUT_MS,
  );
});
afterAll(async () => {
  await nodes?.stop();
  await proxy?.close();
  await redis?.dispose();
});

async function admittedIn(group: string): Promise<number> {
  let admitted = 0;
  await Promise.all(
    nodes.all.map(async (node) => {
      const responses: Promise<void>[] = [];
      for (let n = 0; n < ASKED_PER_NODE; n++) {
        responses.push(
          nodes.take(node, group, LIMIT).then(({ allowed }) => {
            if (allowed) admitted++;
          }),
        );
        await sleep(ASK_EVERY_MS);
      }
      await Promise.all(responses);
    }),
  );
  return admitted;
}

/** Freezes Redis again and again, until the returned function is called. */
function stallAtRandom(random: SeededRandom, onStall: () => void): () => Promise<void> {
  let isOver = false;
  const [shortest, longest] = STALL_MS;
  const stalling = (async () => {
    for (
      await sleep(random.below(PAUSE_MS_MAX));
      !isOver;
      await sleep(random.below(PAUSE_MS_MAX))
    ) {
      proxy.freeze();
      onStall();
      await sleep(shortest + random.below(longest - shortest));
      proxy.thaw();
    }
  })();
  return async () => {
    isOver = true;
    await stalling;
  };
}

it('a limit of 100 admits about 100 of 400 requests over two nodes while Redis stalls at random', {
  timeout: timeoutMs,
}, async () => {
  const seed = runSeed();
  const random = new SeededRandom(seed);
  let stalls = 0;
  const seen: number[] = [];
  const done = await rounds({ full: 100, quick: 8, atLeast: 4 }, async (round) => {
    // Half of the windows begin while Redis works, the others while nodes may still count by themselves.
    if (round % 2 === 0) await nodes.untilShared();
    const stop = stallAtRandom(random, () => stalls++);
    seen.push(await admittedIn(makeId('key')));
    await stop();
  });
  const decided = nodes.all.reduce((sum, node) => sum + node.localChecks, 0);
  console.log(
    `stalls: ${done} rounds, ${figure(stalls)} stalls of ${STALL_MS.join(' to ')} ms, ${figure(decided)} of ${figure(done * NODES * ASKED_PER_NODE)} checks decided by the nodes; of a limit of ${LIMIT}, ${Math.min(...seen)} to ${Math.max(...seen)} admitted`,
  );
  expect(stalls).toBeGreaterThan(done);
  expect(decided).toBeGreaterThan(0);
  // 113 at most so far. Nodes that took the whole limit instead of their shares would reach 200.
  expect(Math.max(...seen), `seed ${seed}: ${seen}`).toBeLessThanOrEqual(1.5 * LIMIT);
  expect(Math.min(...seen), `seed ${seed}: ${seen}`).toBeGreaterThanOrEqual(0.9 * LIMIT);
});
