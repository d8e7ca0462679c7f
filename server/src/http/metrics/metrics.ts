import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Disk, Storage } from '../../storage/index.ts';
import type { FastHistogram } from '../hot-path/index.ts';
import { type ClusterReadings, registerClusterMetrics } from './cluster-metrics.ts';
import { registerDatabaseReads } from './database-reads.ts';
import { registerDiskMetrics } from './disk-metrics.ts';
import { EventLoopDelay } from './event-loop-delay.ts';
import { registerProcessMetrics } from './process-metrics.ts';
import { addCounter, addGauge, addOutcomeCounter } from './read-metrics.ts';

const DATABASE_WAIT_MS = 1_000;

/** Read only when metrics are collected. */
export interface Readings {
  /** Validations by outcome. */
  outcomes(): Readonly<Record<string, number>>;
  cache(): { hits: number; misses: number; entries: number; bytes: number };
  windows(): { held: number; bytes: number; evicted: number };
  credits(): { draws: number; refusals: number; size: number };
  usage(): { flushes: number; failures: number };
  databaseReads(): ReturnType<Storage['readStatus']>;
  overload(): { shed: number; inFlight: number };
  /** Of responses that are being built, or that clients have not received yet. */
  responseBytes(): number;
  webhooks(): { inFlight: number; attempts: Readonly<Record<string, number>> };
  readonly cluster: ClusterReadings;
  /** Undefined with PostgreSQL. */
  readonly disk: Disk | undefined;
  /** Latency of validations. */
  readonly validationTimes: FastHistogram;
  /** Queried from the database. */
  backlog(): Promise<{ due: number; oldestAgeMs: number }>;
}

export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Counter;
  readonly #durations: Histogram;
  readonly #eventLoopDelay = new EventLoopDelay();

  constructor(readings: Readings) {
    const registers = [this.registry];
    registerProcessMetrics(this.registry);
    readings.validationTimes.register(
      this.registry,
      'keyward_validation_duration_seconds',
      'Time from a complete validation request to its response; only validations on the hot path.',
    );
    this.#requests = new Counter({
      name: 'keyward_http_requests_total',
      help: 'Requests by route, except streams and validations on the hot path.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'keyward_http_request_duration_seconds',
      help: 'Response time by route.',
      labelNames: ['method', 'route'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers,
    });
    const registry = this.registry;
    addOutcomeCounter(registry, 'validations', 'Validations, by outcome.', () =>
      readings.outcomes(),
    );
    addCounter(registry, 'cache_hits', 'Keys found in the cache.', () => readings.cache().hits);
    addCounter(registry, 'cache_misses', 'Keys read from storage.', () => readings.cache().misses);
    addGauge(registry, 'cache_entries', 'Keys in the cache.', () => readings.cache().entries);
    addGauge(
      registry,
      'cache_bytes',
      'Approximate memory of the cached keys.',
      () => readings.cache().bytes,
    );
    addGauge(
      registry,
      'rate_limit_windows',
      'Rate-limit windows in memory.',
      () => readings.windows().held,
    );
    addGauge(
      registry,
      'rate_limit_bytes',
      'Memory of the rate-limit windows.',
      () => readings.windows().bytes,
    );
    addCounter(
      registry,
      'rate_limit_windows_evicted',
      'Open windows evicted to make room for others; their counts start again.',
      () => readings.windows().evicted,
    );
    addCounter(
      registry,
      'credit_draws',
      'Blocks of credits drawn from pools, or extended.',
      () => readings.credits().draws,
    );
    addCounter(
      registry,
      'credit_refusals',
      'Requests refused for lack of credits.',
      () => readings.credits().refusals,
    );
    addGauge(
      registry,
      'credit_pools_held',
      'Pools of credits in use on this node.',
      () => readings.credits().size,
    );
    addCounter(registry, 'usage_flushes', 'Usage batches written.', () => readings.usage().flushes);
    addCounter(
      registry,
      'usage_flush_failures',
      'Failed writes of usage batches; each is retried.',
      () => readings.usage().failures,
    );
    addCounter(
      registry,
      'requests_shed',
      'Requests rejected because of overload.',
      () => readings.overload().shed,
    );
    addGauge(
      registry,
      'requests_in_flight',
      'Requests in progress.',
      () => readings.overload().inFlight,
    );
    addGauge(
      registry,
      'response_bytes_in_flight',
      'Bytes of responses that are being built or that clients have not received yet.',
      () => readings.responseBytes(),
    );
    registerDatabaseReads(registry, () => readings.databaseReads());
    this.#webhooks(readings);
    registerClusterMetrics(registry, readings.cluster);
    if (readings.disk !== undefined) registerDiskMetrics(registry, readings.disk);
    this.#eventLoopDelay.register(this.registry);
  }

  close(): void {
    this.#eventLoopDelay.close();
  }

  request(method: string, route: string, status: number, ms: number): void {
    this.#requests.inc({ method, route, status });
    this.#durations.observe({ method, route }, ms / 1000);
  }

  #webhooks(readings: Readings): void {
    const registry = this.registry;
    addOutcomeCounter(
      registry,
      'webhook_attempts',
      'Attempts to deliver an event, by outcome.',
      () => readings.webhooks().attempts,
    );
    addGauge(
      registry,
      'webhook_deliveries_in_flight',
      'Deliveries being sent.',
      () => readings.webhooks().inFlight,
    );
    const backlog = sharedReading(() => readings.backlog());
    new Gauge({
      name: 'keyward_webhook_deliveries_due',
      help: 'Due deliveries, including those being sent.',
      registers: [registry],
      async collect() {
        this.set((await backlog()).due);
      },
    });
    new Gauge({
      name: 'keyward_webhook_oldest_due_age_seconds',
      help: 'Age of the oldest due delivery.',
      registers: [registry],
      async collect() {
        this.set((await backlog()).oldestAgeMs / 1000);
      },
    });
  }
}

/**
 * Gauges of a scrape are collected at the same time, so they share one query. Each of them waits for its result: a
 * gauge that another one sets may be written out before it is set.
 */
function sharedReading(read: Readings['backlog']): Readings['backlog'] {
  let reading: ReturnType<typeof read> | null = null;
  // The other metrics matter most while the database is unavailable, so they do not wait for it.
  const unknown = { due: Number.NaN, oldestAgeMs: Number.NaN };
  return () => {
    reading ??= Promise.race([
      read().catch(() => unknown),
      sleep(DATABASE_WAIT_MS, unknown, { ref: false }),
    ]).finally(() => {
      reading = null;
    });
    return reading;
  };
}
