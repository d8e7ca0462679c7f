import { Redis } from 'iovalkey';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { sendTo } from '../../../src/cluster/counters/redis/link.ts';
import type { Send } from '../../../src/cluster/counters/redis/windows.ts';
import { checkAgainstModel, checkCalendarsAgainstModel } from '../../contract/limits-model.ts';
import { TestRedis } from '../../harness/redis/redis.ts';
import { checkPolicies } from '../../model/policies-check.ts';
import { countersAtTime, openAtTime } from './redis-at-time.ts';

/** The models of `contract/counter-sets.test.ts` and `model/policies.test.ts`, with Redis. */
describe('Redis decides as the model does', () => {
  let redis: TestRedis;
  let send: Send;
  beforeAll(async () => {
    redis = await TestRedis.start();
    const client = new Redis(redis.url);
    send = sendTo(client);
    return () => client.disconnect();
  });
  afterAll(() => redis?.dispose());

  it('one request after the other', () => checkAgainstModel(() => openAtTime(send), 150));

  it('by unit and by the calendar', () => checkCalendarsAgainstModel(() => openAtTime(send), 100));

  it('through plans, customers and keys', () => checkPolicies(countersAtTime(openAtTime(send))));
});
