import { Gauge, type Registry } from 'prom-client';
import type { DatabaseServer } from '../../storage/index.ts';
import { addCounter, addGauge } from './read-metrics.ts';

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
    readonly clockOffsetMs: number | null;
    readonly clockState: 'right' | 'suspect' | 'off';
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

/** Registers nothing on a single embedded node. */
export function registerClusterMetrics(
  registry: Registry,
  { database, bus, redis }: ClusterReadings,
): void {
  if (database !== null) {
    addCounter(
      registry,
      'database_reconnects',
      'Restored connections to PostgreSQL.',
      () => database.reconnects,
    );
    addCounter(
      registry,
      'database_failovers',
      'Number of failovers to another PostgreSQL server.',
      () => database.failovers,
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
  if (bus !== null) {
    addGauge(
      registry,
      'bus_connected',
      '1 if this node receives changes from the other nodes.',
      () => Number(bus.isConnected),
    );
    addGauge(
      registry,
      'bus_behind_seconds',
      'How far this node may lag behind changes of the other nodes.',
      () => Math.min(bus.behindMs / 1000, 1e9),
    );
    addGauge(
      registry,
      'clock_offset_seconds',
      "How far the clock of this node is ahead of PostgreSQL's.",
      () => (bus.clockOffsetMs ?? Number.NaN) / 1000,
    );
    addGauge(registry, 'nodes', 'Live nodes, this one included.', () => bus.nodes);
    addCounter(
      registry,
      'bus_changes_received',
      'Changes received from all nodes, this one included.',
      () => bus.received,
    );
    addCounter(registry, 'bus_clears', 'How often the whole cache was cleared.', () => bus.clears);
    addCounter(
      registry,
      'bus_disconnects',
      'Lost connections of the change bus.',
      () => bus.disconnects,
    );
  }
  if (redis !== null) {
    addGauge(
      registry,
      'rate_limits_shared',
      '1: all limits are counted across all nodes; 0: some or all are counted per node, because a Redis server does not reply.',
      () => Number(redis.isShared),
    );
    addCounter(
      registry,
      'rate_limits_checked_locally',
      'Checks counted per node.',
      () => redis.localChecks,
    );
    addCounter(
      registry,
      'redis_failures',
      'Checks that Redis did not answer in time, or answered with an error.',
      () => redis.failures,
    );
    addGauge(
      registry,
      'rate_limits_unmerged',
      'Counters with counts not yet sent to Redis.',
      () => redis.unmerged,
    );
    addCounter(
      registry,
      'redis_reconnects',
      'Restored connections to Redis.',
      () => redis.reconnects,
    );
    addCounter(
      registry,
      'redis_failovers',
      'How often another Redis server became master.',
      () => redis.failovers,
    );
  }
}
