import type { MetricValue, Registry } from 'prom-client';

/**
 * A latency histogram for the way of a validation. prom-client's own costs a hash map look-up and
 * an allocation an observation, which took a sixth of the throughput; this is one array increment.
 */
export class FastHistogram {
  readonly #name: string;
  readonly #help: string;
  readonly #boundsMs: readonly number[];
  readonly #counts: Float64Array;
  #sumMs = 0;

  constructor(name: string, help: string, boundsMs: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#boundsMs = boundsMs;
    this.#counts = new Float64Array(boundsMs.length + 1);
  }

  observe(ms: number): void {
    const bounds = this.#boundsMs;
    let i = 0;
    while (i < bounds.length && ms > bounds[i]!) i++;
    this.#counts[i]!++;
    this.#sumMs += ms;
  }

  register(registry: Registry): void {
    const get = async () => this.#values();
    // The registry asks a metric for nothing but its name and its values.
    registry.registerMetric({ name: this.#name, get, reset: () => {} } as never);
  }

  #values() {
    const name = this.#name;
    const values: (MetricValue<string> & { metricName: string })[] = [];
    let total = 0;
    this.#counts.forEach((count, i) => {
      total += count;
      const bound = this.#boundsMs[i];
      const le = bound === undefined ? '+Inf' : String(bound / 1000);
      values.push({ value: total, labels: { le }, metricName: `${name}_bucket` });
    });
    values.push({ value: this.#sumMs / 1000, labels: {}, metricName: `${name}_sum` });
    values.push({ value: total, labels: {}, metricName: `${name}_count` });
    return { name, help: this.#help, type: 'histogram', values, aggregator: 'sum' };
  }
}
