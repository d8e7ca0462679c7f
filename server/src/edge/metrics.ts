import { AggregatorRegistry, Registry } from 'prom-client';
import type { FastHistogram } from '../http/hot-path/index.ts';
import { registerProcessMetrics } from '../http/metrics/process-metrics.ts';
import { addCounter, addGauge, addOutcomeCounter } from '../http/metrics/read-metrics.ts';
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
  registerProcessMetrics(registry);
  times.register(
    registry,
    'keyward_validation_duration_seconds',
    'Time from a complete validation request to its response; only validations on the hot path.',
  );
  addOutcomeCounter(
    registry,
    'validations',
    'Validations, by outcome; `forwarded`: the server decided.',
    () => validator.outcomes,
  );
  addCounter(
    registry,
    'edge_forwarded_requests',
    'Requests sent to the server, except for leases, reports and streams.',
    () => upstream.requests,
  );
  addCounter(
    registry,
    'edge_forward_failures',
    'Requests sent to the server that got no response, or a 5xx status.',
    () => upstream.failures,
  );
  addGauge(
    registry,
    'response_bytes_in_flight',
    'Bytes of batch responses that are being built or that clients have not received yet.',
    () => validator.responses.bytes,
  );
  addGauge(
    registry,
    'edge_callers',
    'Access keys that this edge serves.',
    () => callers.all.length,
  );
  addGauge(registry, 'cache_entries', 'Keys in the cache.', () =>
    callers.all.reduce((sum, { decider }) => sum + decider.size, 0),
  );
  addGauge(
    registry,
    'edge_behind_seconds',
    'How far the cached keys may lag behind the server.',
    () => Math.max(...callers.all.map(({ decider }) => decider.behindMs / 1000)),
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
