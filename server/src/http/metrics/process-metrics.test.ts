import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { registerProcessMetrics } from './process-metrics.ts';

it('servers in one process share the metrics of the process', async () => {
  const registries = [new Registry(), new Registry()];
  for (const registry of registries) registerProcessMetrics(registry);
  const name = 'nodejs_eventloop_lag_mean_seconds';
  const [first, second] = registries.map((registry) => registry.getSingleMetric(name));
  expect(first).toBeDefined();
  expect(second).toBe(first);
  expect(await registries[1]!.metrics()).toContain('process_cpu_user_seconds_total');
});

it('no gauge has a name that Prometheus keeps for counters', async () => {
  const registry = new Registry();
  registerProcessMetrics(registry);
  const metrics = await registry.getMetricsAsJSON();
  expect(metrics.map(({ name }) => name)).toContain('nodejs_active_handles');
  for (const { name, type } of metrics)
    expect([name, name.endsWith('_total')]).toEqual([name, `${type}` === 'counter']);
});
