import { Counter, Gauge, type Registry } from 'prom-client';
import type { DatabaseServer } from '../../storage/index.ts';

/** State of PostgreSQL, the change bus and Redis; null if this node does not use them. */
export interface ClusterReadings {
  readonly database: DatabaseServer | null;
  readonly bus: {
    readonly isConnected: boolean;
    readonly behindMs: number;
    readonly nodes: number;
    readonly received: number;
    readonly clears: number;
    readonly disconnects: number;
  } | null;
  readonly redis: {
    readonly isShared: boolean;
    readonly mode: 'server' | 'sentinel' | 'cluster';
    /** Without credentials. */
    readonly addresses: readonly string[];
    /** Milliseconds since 1970 when `isShared` last changed. */
    readonly since: number;
    readonly localChecks: number;
    readonly failures: number;
    readonly unmerged: number;
    readonly reconnects: number;
    readonly failovers: number;
  } | null;
}

type Row = readonly [type: 'gauge' | 'total', name: string, help: string, read: () => number];

/** Registers nothing on a single embedded node. */
export function registerClusterMetrics(
  registry: Registry,
  { database, bus, redis }: ClusterReadings,
): void {
  const rows: Row[] = [];
  if (database !== null) {
    rows.push(
      [
        'total',
        'database_reconnects',
        'Restored connections to PostgreSQL.',
        () => database.reconnects,
      ],
      [
        'total',
        'database_failovers',
        'Number of failovers to another PostgreSQL server.',
        () => database.failovers,
      ],
    );
    new Gauge({
      name: 'keyward_database_connected',
      help: '1 if PostgreSQL can be reached, by the address of the primary.',
      labelNames: ['host'],
      registers: [registry],
      collect() {
        this.reset();
        this.set({ host: database.host }, Number(database.isConnected));
      },
    });
  }
  if (bus !== null)
    rows.push(
      [
        'gauge',
        'bus_connected',
        '1 if this node receives changes from the other nodes.',
        () => Number(bus.isConnected),
      ],
      [
        'gauge',
        'bus_behind_seconds',
        'How far this node may lag behind changes of the other nodes.',
        () => Math.min(bus.behindMs / 1000, 1e9),
      ],
      ['gauge', 'nodes', 'Live nodes, this one included.', () => bus.nodes],
      [
        'total',
        'bus_changes_received',
        'Changes received from all nodes, this one included.',
        () => bus.received,
      ],
      ['total', 'bus_clears', 'How often the whole cache was cleared.', () => bus.clears],
      ['total', 'bus_disconnects', 'Lost connections of the change bus.', () => bus.disconnects],
    );
  if (redis !== null)
    rows.push(
      [
        'gauge',
        'rate_limits_shared',
        '1: counted across all nodes; 0: counted per node, because Redis is unavailable.',
        () => Number(redis.isShared),
      ],
      ['total', 'rate_limits_checked_locally', 'Checks counted per node.', () => redis.localChecks],
      [
        'total',
        'redis_failures',
        'Checks that Redis did not answer in time, or answered with an error.',
        () => redis.failures,
      ],
      [
        'gauge',
        'rate_limits_unmerged',
        'Counters with counts not yet sent to Redis.',
        () => redis.unmerged,
      ],
      ['total', 'redis_reconnects', 'Restored connections to Redis.', () => redis.reconnects],
      [
        'total',
        'redis_failovers',
        'How often another Redis server became master.',
        () => redis.failovers,
      ],
    );
  for (const row of rows) register(registry, row);
}

function register(registry: Registry, [type, name, help, read]: Row): void {
  const registers = [registry];
  if (type === 'gauge')
    new Gauge({
      name: `keyward_${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  else
    new Counter({
      name: `keyward_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
}
