import { Socket } from 'node:net';
import keySlot from 'cluster-key-slot';
import { Cluster } from 'iovalkey';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sendTo } from '../../../src/cluster/counters/redis/link.ts';
import { createIds } from '../../../src/kernel/ids.ts';
import { countersContract } from '../../contract/counters.contract.ts';
import { checkAgainstModel } from '../../contract/limits-model.ts';
import { TestRedisCluster } from '../../harness/redis/redis-cluster.ts';
import { figure, scaled, timeoutMs } from '../../harness/scale.ts';
import { checkPolicies } from '../../model/policies-check.ts';
import { countersAtTime, openAtTime } from './redis-at-time.ts';
import { admittedOfTwiceTheLimit, PREFIX, RedisLoad, RedisNodes } from './redis-nodes.ts';

const NODES = 2;
const KEYS = 60;
const EXACT_LIMIT = 20;
const LIMIT = 100;
const KEYS_MOVED = 24;
const SLOTS_MOVED = 6;
/** Long enough for a busy machine; a server that is gone closes its connections. */
const REPLY_MS = 5_000;
const makeId = createIds();
const makeGroups = (count: number) => Array.from({ length: count }, () => makeId('key'));

/** Groups by their slot. Each is in a different slot of the first master. */
function makeMovedGroups(count: number): Map<number, string> {
  const groups = new Map<number, string>();
  while (groups.size < count) {
    const group = makeId('key');
    const slot = keySlot(keyOf(group));
    if (slot < 16_384 / 3) groups.set(slot, group);
  }
  return groups;
}
const keyOf = (group: string) => `${PREFIX}:{${group}}`;
const exactly = (limit: number, keys = KEYS) => Array.from({ length: keys }, () => limit);

let cluster: TestRedisCluster;
let nodes: RedisNodes | undefined;
beforeAll(async () => {
  cluster = await TestRedisCluster.start();
});
afterEach(async () => {
  await nodes?.stop();
  nodes = undefined;
});
afterAll(() => cluster?.dispose());

async function startNodes(url = cluster.url): Promise<RedisNodes> {
  nodes = await RedisNodes.start(
    Array.from({ length: NODES }, () => url),
    REPLY_MS,
  );
  await nodes.untilShared();
  return nodes;
}

const localChecks = (all: RedisNodes) => all.all.map((node) => node.localChecks);

describe('a Redis Cluster of three masters', () => {
  countersContract('redis cluster', async () => {
    const { all } = await startNodes();
    return all[0]!;
  });

  it('decides as the models of limits and of policies do', async () => {
    const client = new Cluster(cluster.masters.map(({ port }) => ({ host: '127.0.0.1', port })));
    try {
      await checkAgainstModel(() => openAtTime(sendTo(client)), 60);
      await checkPolicies(countersAtTime(openAtTime(sendTo(client))), scaled(200, 10));
    } finally {
      client.disconnect();
    }
  });

  it.each([
    ['several addresses', () => cluster.url],
    ['the address of one server', () => `redis://127.0.0.1:${cluster.masters[1]!.port}`],
  ])('counts limits of all slots exactly over two nodes, given %s', async (_, url) => {
    const all = await startNodes(url());
    const groups = makeGroups(KEYS);
    expect(await admittedOfTwiceTheLimit(all, groups, EXACT_LIMIT)).toEqual(exactly(EXACT_LIMIT));
    expect(localChecks(all)).toEqual([0, 0]);
    const shards = new Set(groups.map((group) => Math.floor((keySlot(keyOf(group)) * 3) / 16_384)));
    expect(shards.size).toBe(3);
    for (const group of groups.slice(0, 6))
      expect(await cluster.countIn(keyOf(group))).toBe(EXACT_LIMIT);
  });

  it('reports a wrong password once, and counts by itself', async () => {
    nodes = await RedisNodes.start([cluster.url.replace('//', '//nobody:wrong@')], REPLY_MS);
    const load = new RedisLoad(nodes, makeGroups(1), LIMIT, 5);
    // Long enough for several attempts to connect.
    await load.untilChecked(2 * LIMIT);
    await load.stop();
    expect(nodes.reports).toEqual(['0 unavailable']);
    expect([...load.admitted.values()]).toEqual([LIMIT]);
  });

  it('sends the checks of a turn to each shard in one packet', async () => {
    const all = await startNodes();
    const ports = cluster.masters.map(({ port }) => port);
    const writes = new Map<number, number>();
    const countWrite = ({ remotePort = 0 }: Socket) =>
      writes.set(remotePort, (writes.get(remotePort) ?? 0) + 1);
    // One call is one packet: `_writev` writes all that was corked.
    const { _write, _writev } = Socket.prototype;
    Socket.prototype._write = function (...args) {
      countWrite(this);
      return _write.apply(this, args);
    };
    Socket.prototype._writev = function (...args) {
      countWrite(this);
      return _writev!.apply(this, args);
    };
    try {
      const seen: number[] = [];
      // Probes are written too, so the lowest number of several tries counts.
      for (let tries = 0; tries < 20; tries++) {
        writes.clear();
        await Promise.all(makeGroups(15).map((group) => all.take(all.all[0]!, group, LIMIT)));
        seen.push(Math.max(...ports.map((port) => writes.get(port) ?? 0)));
      }
      expect(Math.min(...seen)).toBe(1);
    } finally {
      Object.assign(Socket.prototype, { _write, _writev });
    }
  });

  it('moves slots under load without an error, and counts exactly', {
    timeout: timeoutMs,
  }, async () => {
    const all = await startNodes();
    const [from, to] = [cluster.masters[0]!, cluster.masters[1]!];
    const moved = makeMovedGroups(SLOTS_MOVED);
    const slots = [...moved.keys()];
    const groups = [...moved.values(), ...makeGroups(KEYS_MOVED - SLOTS_MOVED)];
    const load = new RedisLoad(all, groups, LIMIT, 5);
    await load.untilChecked(3);
    await cluster.moveSlots(slots, from, to);
    await load.untilChecked(3);
    await cluster.moveSlots(slots, to, from);
    await load.untilChecked(3);
    await load.stop();
    const rest = await admittedOfTwiceTheLimit(all, groups, LIMIT);
    const admitted = [...load.admitted.values()].map((before, n) => before + rest[n]!);
    expect(admitted).toEqual(exactly(LIMIT, KEYS_MOVED));
    expect(all.all.map((node) => [node.failures, node.localChecks])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    console.log(
      `Redis Cluster: ${slots.length} slots moved twice under load, ${figure(load.checks)} checks over 2 nodes, 0 errors`,
    );
  });

  // The last test: afterwards the Cluster has only two of these masters.
  it('loses a master under load: nothing hangs, limits hold, and counts are exact after the failover', {
    timeout: timeoutMs,
  }, async () => {
    const all = await startNodes();
    const groups = makeGroups(KEYS);
    const load = new RedisLoad(all, groups, LIMIT, 5);
    await load.untilChecked(10);
    await cluster.masters[2]!.kill();
    await all.untilLocal();
    const untilNoticed = new Map(load.admitted);
    await all.untilFailedOver();
    await all.untilShared();
    await load.untilChecked(LIMIT);
    await load.stop();
    const admitted = [...load.admitted.values()];
    expect(Math.max(...load.excess(untilNoticed))).toBeLessThanOrEqual(0);
    expect(Math.min(...admitted)).toBeGreaterThanOrEqual(0.9 * LIMIT);
    await all.untilShared();
    expect(await admittedOfTwiceTheLimit(all, makeGroups(KEYS), EXACT_LIMIT)).toEqual(
      exactly(EXACT_LIMIT),
    );
    for (const n of [0, 1])
      expect(all.reports.filter((report) => report.startsWith(`${n} `))).toEqual(
        expect.arrayContaining([`${n} unavailable`, `${n} failed over`, `${n} restored`]),
      );
    console.log(
      `Redis Cluster: a master killed under load, ${figure(load.checks)} checks over 2 nodes; of a limit of ${LIMIT}, ${Math.min(...admitted)} to ${Math.max(...admitted)} admitted`,
    );
  });
});
