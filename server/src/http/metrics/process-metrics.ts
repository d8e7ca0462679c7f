import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';

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
  return register.getMetricsAsArray() as unknown as Metric[];
}
