import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { TestRedis } from './redis.ts';

const SLOTS = 16_384;
const TRIES = 1_200;
/** A master that is silent for this long is replaced. Busy machines may stop a process for a second. */
const NODE_TIMEOUT_MS = 4_000;

interface ClusterServer {
  readonly redis: TestRedis;
  readonly busPort: number;
}

type SlotRange = [
  first: number,
  last: number,
  ...nodes: [host: string, port: number, id: string][],
];

/** A real Redis Cluster of three masters, each with a replica. */
export class TestRedisCluster {
  readonly masters: readonly TestRedis[];
  readonly replicas: readonly TestRedis[];

  private constructor(masters: readonly TestRedis[], replicas: readonly TestRedis[]) {
    this.masters = masters;
    this.replicas = replicas;
  }

  static async start(): Promise<TestRedisCluster> {
    const servers = await Promise.all(Array.from({ length: 6 }, startServer));
    const all = servers.map(({ redis }) => redis);
    const cluster = new TestRedisCluster(all.slice(0, 3), all.slice(3));
    const { masters, replicas } = cluster;
    for (const [n, master] of masters.entries()) {
      // Masters with equal epochs cannot be replaced until they have agreed on different ones.
      await master.command('CLUSTER', 'SET-CONFIG-EPOCH', String(n + 1));
      const [first, next] = [n, n + 1].map((part) => Math.ceil((SLOTS * part) / 3));
      await master.command('CLUSTER', 'ADDSLOTSRANGE', String(first), String(next! - 1));
    }
    for (const { redis, busPort } of servers.slice(1))
      await all[0]!.command('CLUSTER', 'MEET', '127.0.0.1', String(redis.port), String(busPort));
    for (const each of all) await untilInfo(each, 'CLUSTER', 'cluster_known_nodes:6');
    for (const [n, replica] of replicas.entries()) {
      const id = String(await masters[n]!.command('CLUSTER', 'MYID'));
      await until(() => replica.command('CLUSTER', 'REPLICATE', id));
    }
    for (const replica of replicas)
      await untilInfo(replica, 'REPLICATION', 'master_link_status:up');
    for (const each of all) await untilInfo(each, 'CLUSTER', 'cluster_state:ok');
    return cluster;
  }

  /** As KEYWARD_REDIS_URL. */
  get url(): string {
    return `redis://${this.masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  /** The count of a window, from the master that its slot had at the start. */
  async countIn(key: string): Promise<number> {
    const slot = Number(await this.masters[0]!.command('CLUSTER', 'KEYSLOT', key));
    const owner = this.masters[Math.floor((slot * 3) / SLOTS)]!;
    return Number(await owner.command('HGET', key, 'c'));
  }

  /** Moves slots with their keys, as `redis-cli --cluster reshard` does. */
  async moveSlots(slots: readonly number[], from: TestRedis, to: TestRedis): Promise<void> {
    const ids = await Promise.all([from, to].map((each) => each.command('CLUSTER', 'MYID')));
    const [fromId, toId] = ids.map(String);
    for (const slot of slots.map(String)) {
      await to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId!);
      await from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId!);
      for (;;) {
        const keys = (await from.command('CLUSTER', 'GETKEYSINSLOT', slot, '100')) as string[];
        if (keys.length === 0) break;
        const target = ['127.0.0.1', String(to.port), '', '0', '30000'];
        await from.command('MIGRATE', ...target, 'KEYS', ...keys);
      }
      for (const each of [to, from]) await each.command('CLUSTER', 'SETSLOT', slot, 'NODE', toId!);
    }
    for (const each of this.masters) await this.#untilOwned(each, slots, toId!);
  }

  /** Waits until a server knows the owner of these slots. */
  #untilOwned(redis: TestRedis, slots: readonly number[], owner: string): Promise<void> {
    return until(async () => {
      const shards = (await redis.command('CLUSTER', 'SLOTS')) as SlotRange[];
      for (const slot of slots) {
        const range = shards.find(([first, last]) => first <= slot && slot <= last);
        if (range?.[2]?.[2] !== owner) throw new Error(`slot ${slot} is not with ${owner}`);
      }
    });
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.masters, ...this.replicas].map((each) => each.dispose()));
  }
}

async function startServer(): Promise<ClusterServer> {
  const busPort = await freePort();
  const redis = await TestRedis.start([
    ...['--cluster-enabled', 'yes', '--cluster-port', String(busPort)],
    ...[
      '--cluster-node-timeout',
      String(NODE_TIMEOUT_MS),
      '--cluster-replica-validity-factor',
      '0',
    ],
    ...['--repl-diskless-sync-delay', '0'],
  ]);
  return { redis, busPort };
}

async function until(step: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await step();
      return;
    } catch (error) {
      if (tries > TRIES) throw error;
      await sleep(50);
    }
  }
}

/** Waits for a line of INFO or CLUSTER INFO. */
export const untilInfo = (redis: TestRedis, section: string, line: string): Promise<void> =>
  until(async () => {
    const command = section === 'CLUSTER' ? ['CLUSTER', 'INFO'] : ['INFO', section];
    const info = String(await redis.command(...command));
    if (!info.includes(line)) throw new Error(`Redis on ${redis.port} does not report ${line}`);
  });
