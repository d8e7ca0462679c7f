import { expect, it } from 'vitest';
import { type Config, readConfig } from '../../../src/app/config.ts';
import { checkRedis } from '../../../src/cli/commands/doctor/engines.ts';
import { sendOnce, TestRedis } from '../../harness/redis/redis.ts';

const config = (redisUrl: string): Config => readConfig([], { KEYWARD_REDIS_URL: redisUrl });

it('doctor says that Redis is connected, and warns if it may delete counts', async () => {
  const redis = await TestRedis.start();
  try {
    expect(await checkRedis(config(redis.url))).toMatchObject([{ level: 'ok' }]);
    await sendOnce(redis.url, ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru']);
    const [finding] = await checkRedis(config(redis.url));
    expect(finding).toMatchObject({
      level: 'warning',
      what: expect.stringContaining('allkeys-lru'),
    });
  } finally {
    await redis.dispose();
  }
});
