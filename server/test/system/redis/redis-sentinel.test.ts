import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createIds } from '../../../src/kernel/ids.ts';
import { countersContract } from '../../contract/counters.contract.ts';
import { TestSentinels } from '../../harness/redis/redis-sentinel.ts';
import { figure, timeoutMs } from '../../harness/scale.ts';
import { admittedOfTwiceTheLimit, RedisLoad, RedisNodes } from './redis-nodes.ts';

const KEYS = 20;
const LIMIT = 100;
const EXACT_LIMIT = 20;
/** Long enough for a busy machine; a server that is gone closes its connections. */
const REPLY_MS = 5_000;
const makeId = createIds();
const makeGroups = () => Array.from({ length: KEYS }, () => makeId('key'));
const exactly = Array.from({ length: KEYS }, () => EXACT_LIMIT);

let sentinels: TestSentinels;
let nodes: RedisNodes;
const start = async () => {
  sentinels = await TestSentinels.start();
  nodes = await RedisNodes.start([sentinels.url, sentinels.url], REPLY_MS);
};
const stop = async () => {
  await nodes?.stop();
  await sentinels?.dispose();
};

describe('a master that Sentinels name', () => {
  beforeAll(start);
  afterAll(stop);
  countersContract('redis behind Sentinels', async () => {
    await nodes.untilShared();
    return nodes.all[0]!;
  });
});

describe('a node behind Sentinels', () => {
  beforeEach(start);
  afterEach(stop);

  it('loses the master under load: nothing hangs, limits hold, and counts are exact after the failover', {
    timeout: timeoutMs,
  }, async () => {
    await nodes.untilShared();
    expect(await admittedOfTwiceTheLimit(nodes, makeGroups(), EXACT_LIMIT)).toEqual(exactly);
    expect(nodes.all.map((node) => node.localChecks)).toEqual([0, 0]);

    const load = new RedisLoad(nodes, makeGroups(), LIMIT, 5);
    await load.untilChecked(10);
    await sentinels.master.kill();
    await nodes.untilLocal();
    const untilNoticed = new Map(load.admitted);
    await nodes.untilFailedOver();
    await nodes.untilShared();
    await load.untilChecked(LIMIT);
    await load.stop();
    const admitted = [...load.admitted.values()];
    expect(Math.max(...load.excess(untilNoticed))).toBeLessThanOrEqual(0);
    expect(Math.min(...admitted)).toBeGreaterThanOrEqual(0.9 * LIMIT);
    await nodes.untilShared();
    expect(await admittedOfTwiceTheLimit(nodes, makeGroups(), EXACT_LIMIT)).toEqual(exactly);
    expect(Number(await sentinels.replica.command('DBSIZE'))).toBeGreaterThanOrEqual(2 * KEYS);
    // On a busy machine, Sentinels may fail over once more.
    for (const n of [0, 1]) {
      const own = nodes.reports.filter((report) => report.startsWith(`${n} `));
      expect([own[0], own[1], own.at(-1)]).toEqual(
        ['restored', 'unavailable', 'restored'].map((event) => `${n} ${event}`),
      );
      expect(own).toContain(`${n} failed over`);
    }
    console.log(
      `Sentinel: the master killed under load, ${figure(load.checks)} checks over 2 nodes; of a limit of ${LIMIT}, ${Math.min(...admitted)} to ${Math.max(...admitted)} admitted`,
    );
  });

  it('leaves a master that was replaced while it still responds, and counts exactly afterwards', {
    timeout: timeoutMs,
  }, async () => {
    await nodes.untilShared();
    const load = new RedisLoad(nodes, makeGroups(), LIMIT, 5);
    await load.untilChecked(10);
    await sentinels.failOver();
    await nodes.untilFailedOver();
    const untilNoticed = new Map(load.admitted);
    await nodes.untilShared();
    await load.untilChecked(LIMIT);
    await load.stop();
    const admitted = [...load.admitted.values()];
    expect(Math.max(...load.excess(untilNoticed))).toBeLessThanOrEqual(0);
    expect(Math.min(...admitted)).toBeGreaterThanOrEqual(0.9 * LIMIT);
    await nodes.untilShared();
    expect(await admittedOfTwiceTheLimit(nodes, makeGroups(), EXACT_LIMIT)).toEqual(exactly);
    expect(String(await sentinels.replica.command('ROLE'))).toMatch(/^master/);
    console.log(
      `Sentinel: the master replaced under load; of a limit of ${LIMIT}, ${Math.min(...admitted)} to ${Math.max(...admitted)} admitted`,
    );
  });
});
