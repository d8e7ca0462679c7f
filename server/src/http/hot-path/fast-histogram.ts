import type { MetricValue, Registry } from 'prom-client';

/** A number for each bound, one for what is beyond them, and the sum. */
export type HistogramFigures = Float64Array;

/**
 * A latency histogram for the way of a validation. prom-client's own costs a hash map look-up and
 * an allocation an observation, which took a sixth of the throughput; this is one array increment.
 * Its figures may lie in memory that another thread reads.
 */
export class FastHistogram {
  readonly #boundsMs: readonly number[];
  readonly #figures: HistogramFigures;

  constructor(
    boundsMs: readonly number[],
    figures: HistogramFigures = new Float64Array(figuresFor(boundsMs)),
  ) {
    this.#boundsMs = boundsMs;
    this.#figures = figures;
  }

  observe(ms: number): void {
    const bounds = this.#boundsMs;
    let i = 0;
    while (i < bounds.length && ms > bounds[i]!) i++;
    this.#figures[i]!++;
    this.#figures[bounds.length + 1]! += ms;
  }

  /** `others` are figures of the same bounds, of other threads. */
  register(
    registry: Registry,
    name: string,
    help: string,
    others: () => readonly HistogramFigures[],
  ): void {
    const get = async () => this.#values(name, help, [this.#figures, ...others()]);
    // The registry asks a metric for nothing but its name and its values.
    registry.registerMetric({ name, get, reset: () => {} } as never);
  }

  #values(name: string, help: string, all: readonly HistogramFigures[]) {
    const sumAt = (i: number) => all.reduce((sum, figures) => sum + figures[i]!, 0);
    const values: (MetricValue<string> & { metricName: string })[] = [];
    let total = 0;
    for (let i = 0; i <= this.#boundsMs.length; i++) {
      total += sumAt(i);
      const bound = this.#boundsMs[i];
      const le = bound === undefined ? '+Inf' : String(bound / 1000);
      values.push({ value: total, labels: { le }, metricName: `${name}_bucket` });
    }
    const sumMs = sumAt(this.#boundsMs.length + 1);
    values.push({ value: sumMs / 1000, labels: {}, metricName: `${name}_sum` });
    values.push({ value: total, labels: {}, metricName: `${name}_count` });
    return { name, help, type: 'histogram', values, aggregator: 'sum' };
  }
}

/** How many numbers the figures are. */
export const figuresFor = (boundsMs: readonly number[]): number => boundsMs.length + 2;
