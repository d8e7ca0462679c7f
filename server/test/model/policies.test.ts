import { createClient } from 'redis';
import { it } from 'vitest';
import { MemoryCounters } from '../../src/cluster/counters/memory.ts';
import { countersAtTime, openAtTime } from '../contract/redis-at-time.ts';
import { TestRedis } from '../harness/redis/redis.ts';
import { checkPolicies } from './policies-check.ts';

it('decides as the model does, with counters in memory', () => checkPolicies(new MemoryCounters()));

it('decides as the model does, with counters in Redis', async () => {
  const redis = await TestRedis.start();
  const client = createClient({ url: redis.url, RESP: 2 });
  try {
    await client.connect();
    await checkPolicies(countersAtTime(openAtTime((args) => client.sendCommand(args))));
  } finally {
    client.destroy();
    await redis.dispose();
  }
});
