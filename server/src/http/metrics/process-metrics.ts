import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';

/** What prom-client keeps, but does not declare. */
type NamedMetric = Metric & { readonly name: string; readonly type: string };

let ofProcess: readonly Metric[] | undefined;

/**
 * Adds the metrics of the process, which exist once however many servers it runs: prom-client never stops
 * its timers and observers.
 */
export function registerProcessMetrics(registry: Registry): void {
  ofProcess ??= startCollecting();
  for (const metric of ofProcess) registry.registerMetric(metric);
}

function startCollecting(): readonly Metric[] {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const metrics = register.getMetricsAsArray() as unknown as NamedMetric[];
  // Sums of other gauges, such as `nodejs_active_handles_total`: a name that Prometheus keeps for counters.
  return metrics.filter(({ name, type }) => type === 'counter' || !name.endsWith('_total'));
}
