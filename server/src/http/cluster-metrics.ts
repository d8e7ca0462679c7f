import { Counter, Gauge, type Registry } from 'prom-client';

/** What tells of the other nodes; null where there can be none. */
export interface ClusterReadings {
  readonly bus: {
    readonly isConnected: boolean;
    readonly behindMs: number;
    readonly nodes: number;
    readonly heard: number;
    readonly clears: number;
    readonly losses: number;
  } | null;
  readonly redis: {
    readonly isTogether: boolean;
    readonly apart: number;
    readonly failures: number;
    readonly unmerged: number;
  } | null;
}

type Row = readonly [type: 'gauge' | 'total', name: string, help: string, read: () => number];

/** Nothing at all on a node that is alone. */
export function registerClusterMetrics(registry: Registry, { bus, redis }: ClusterReadings): void {
  const rows: Row[] = [];
  if (bus !== null)
    rows.push(
      ['gauge', 'bus_connected', 'Whether changes are heard of.', () => Number(bus.isConnected)],
      [
        'gauge',
        'bus_behind_seconds',
        'For how long a change may have gone unheard.',
        () => Math.min(bus.behindMs / 1000, 1e9),
      ],
      ['gauge', 'nodes', 'Nodes that are alive, this one included.', () => bus.nodes],
      ['total', 'bus_changes_heard', 'Changes heard of.', () => bus.heard],
      ['total', 'bus_clears', 'How often all that was held was dropped.', () => bus.clears],
      ['total', 'bus_losses', 'Connections that were lost.', () => bus.losses],
    );
  if (redis !== null)
    rows.push(
      [
        'gauge',
        'rate_limits_together',
        '1: counted over all nodes; 0: from this node’s share, because Redis is away.',
        () => Number(redis.isTogether),
      ],
      ['total', 'rate_limits_apart', 'Checks answered from the share.', () => redis.apart],
      ['total', 'redis_failures', 'Checks Redis did not answer in time.', () => redis.failures],
      ['gauge', 'rate_limits_unmerged', 'Keys Redis has yet to hear of.', () => redis.unmerged],
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
