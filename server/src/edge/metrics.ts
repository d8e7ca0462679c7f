import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import type { FastHistogram } from '../http/hot-path/index.ts';
import { registerProcessMetrics } from '../http/metrics/process-metrics.ts';
import type { Callers } from './callers.ts';
import type { Upstream } from './upstream.ts';
import type { EdgeValidator } from './validator.ts';

/** The metrics of one process. */
export type Reading = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

interface Sources {
  readonly validator: EdgeValidator;
  readonly callers: Callers;
  readonly upstream: Upstream;
  readonly times: FastHistogram;
}

/**
 * The metrics of an edge. Metrics that the server also has are named as there. If there are several
 * processes, the number of the process is a label: a sum over all processes would fall when one is restarted.
 */
export function createMetrics(
  { validator, callers, upstream, times }: Sources,
  processNumber?: string,
): Registry {
  const registry = new Registry();
  if (processNumber !== undefined) registry.setDefaultLabels({ process: processNumber });
  const registers = [registry];
  registerProcessMetrics(registry);
  times.register(
    registry,
    'keyward_validation_duration_seconds',
    'Time from a complete validation request to its response; only validations on the hot path.',
  );
  new Counter({
    name: 'keyward_validations_total',
    help: 'Validations, by outcome; `forwarded`: the server decided.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(validator.outcomes))
        this.inc({ outcome }, count);
    },
  });
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  counter(
    'keyward_edge_forwarded_requests_total',
    'Requests sent to the server, except for leases, reports and streams.',
    () => upstream.requests,
  );
  counter(
    'keyward_edge_forward_failures_total',
    'Requests sent to the server that got no response, or a 5xx status.',
    () => upstream.failures,
  );
  gauge('keyward_edge_callers', 'Access keys that this edge serves.', () => callers.all.length);
  gauge('keyward_cache_entries', 'Keys in the cache.', () =>
    callers.all.reduce((sum, { decider }) => sum + decider.size, 0),
  );
  gauge('keyward_edge_behind_seconds', 'How far the cached keys may lag behind the server.', () =>
    Math.max(...callers.all.map(({ decider }) => decider.behindMs / 1000)),
  );
  return registry;
}

/** The metrics of several processes as one text; null: the process did not respond. */
export function renderAll(readings: readonly (Reading | null)[]): Promise<string> {
  // Labels distinguish the processes, so nothing is aggregated. `first` keeps each metric; `omit` would drop
  // some.
  const all = readings.flatMap((reading) => reading ?? []);
  return AggregatorRegistry.aggregate([
    all.map((metric) => ({ ...metric, aggregator: 'first' })),
  ]).metrics();
}
