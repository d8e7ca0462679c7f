import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

type Metric = MetricObjectWithValues<MetricValue<string> & { metricName?: string }>;
type Labels = Readonly<Record<string, string | number>>;

/** The Prometheus metrics, under the same names, in the form that OpenTelemetry exports. */
export class RegistryMetrics implements MetricProducer {
  readonly #registry: Registry;
  readonly #resource: Resource;
  readonly #startTime = hrTime();

  constructor(registry: Registry, resource: Resource) {
    this.#registry = registry;
    this.#resource = resource;
  }

  async collect(): Promise<CollectionResult> {
    const found = (await this.#registry.getMetricsAsJSON()) as Metric[];
    const times = { startTime: this.#startTime, endTime: hrTime() };
    const metrics = found.flatMap((metric) => toMetricData(metric, times) ?? []);
    return {
      resourceMetrics: {
        resource: this.#resource,
        scopeMetrics: [{ scope: { name: 'keyward' }, metrics }],
      },
      errors: [],
    };
  }
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** Null for summaries, of which there are none here. */
function toMetricData(metric: Metric, times: Times): MetricData | null {
  const data = {
    descriptor: {
      name: metric.name,
      description: metric.help,
      unit: metric.name.includes('_seconds') ? 's' : metric.name.includes('_bytes') ? 'By' : '1',
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const dataPoints = metric.values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ ...times, attributes: { ...labels } as Labels, value }));
  // The types are an enumeration of prom-client, but plain text at run time.
  switch (String(metric.type)) {
    case 'counter':
      return { ...data, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
    case 'gauge':
      return { ...data, dataPointType: DataPointType.GAUGE, dataPoints };
    case 'histogram':
      return {
        ...data,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: histograms(metric).map((point) => ({ ...times, ...point })),
      };
    default:
      return null;
  }
}

/** Prometheus counts each bucket including all smaller ones; OpenTelemetry does not. */
function histograms({ name, values }: Metric) {
  const bySeries = Map.groupBy(values, ({ labels }) => {
    const { le: _, ...own } = labels as Record<string, string | number>;
    return JSON.stringify(own);
  });
  return [...bySeries].map(([labels, series]) => {
    const total = (suffix: string) =>
      series.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0;
    const buckets = series
      .filter(({ metricName }) => metricName === `${name}_bucket`)
      .map(({ labels: { le }, value }) => ({
        upTo: Number(String(le).replace('+Inf', 'Infinity')),
        value,
      }))
      .toSorted((one, other) => one.upTo - other.upTo);
    return {
      attributes: JSON.parse(labels) as Labels,
      value: {
        buckets: {
          boundaries: buckets.map(({ upTo }) => upTo).filter(Number.isFinite),
          counts: buckets.map(({ value }, n) => value - (buckets[n - 1]?.value ?? 0)),
        },
        sum: total('sum'),
        count: total('count'),
      },
    };
  });
}
