import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { FastHistogram } from '../hot-path/index.ts';
import { type ClusterReadings, registerClusterMetrics } from './cluster-metrics.ts';
import { EventLoopDelay } from './event-loop-delay.ts';
import { registerProcessMetrics } from './process-metrics.ts';

const DATABASE_WAIT_MS = 1_000;

/** Read only when metrics are collected. */
export interface Readings {
  /** Validations by outcome. */
  outcomes(): Readonly<Record<string, number>>;
  cache(): { hits: number; misses: number; entries: number; bytes: number };
  windows(): { held: number; bytes: number; evicted: number };
  credits(): { draws: number; refusals: number; size: number };
  usage(): { flushes: number; failures: number };
  overload(): { shed: number; inFlight: number };
  webhooks(): { inFlight: number; attempts: Readonly<Record<string, number>> };
  readonly cluster: ClusterReadings;
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
    new Counter({
      name: 'keyward_validations_total',
      help: 'Validations, by outcome.',
      labelNames: ['outcome'],
      registers,
      collect() {
        this.reset();
        for (const [outcome, count] of Object.entries(readings.outcomes()))
          this.inc({ outcome }, count);
      },
    });
    this.#counter('cache_hits', 'Keys found in the cache.', () => readings.cache().hits);
    this.#counter('cache_misses', 'Keys read from storage.', () => readings.cache().misses);
    this.#gauge('cache_entries', 'Keys in the cache.', () => readings.cache().entries);
    this.#gauge(
      'cache_bytes',
      'Approximate memory of the cached keys.',
      () => readings.cache().bytes,
    );
    this.#gauge(
      'rate_limit_windows',
      'Rate-limit windows in memory.',
      () => readings.windows().held,
    );
    this.#gauge(
      'rate_limit_bytes',
      'Memory of the rate-limit windows.',
      () => readings.windows().bytes,
    );
    this.#counter(
      'rate_limit_windows_evicted',
      'Open windows evicted to make room for others; their counts start again.',
      () => readings.windows().evicted,
    );
    this.#counter(
      'credit_draws',
      'Blocks of credits drawn from pools, or extended.',
      () => readings.credits().draws,
    );
    this.#counter(
      'credit_refusals',
      'Requests refused for lack of credits.',
      () => readings.credits().refusals,
    );
    this.#gauge(
      'credit_pools_held',
      'Pools of credits in use on this node.',
      () => readings.credits().size,
    );
    this.#counter('usage_flushes', 'Usage batches written.', () => readings.usage().flushes);
    this.#counter(
      'usage_flush_failures',
      'Failed writes of usage batches; each is retried.',
      () => readings.usage().failures,
    );
    this.#counter(
      'requests_shed',
      'Requests rejected because of overload.',
      () => readings.overload().shed,
    );
    this.#gauge('requests_in_flight', 'Requests in progress.', () => readings.overload().inFlight);
    this.#webhooks(readings);
    registerClusterMetrics(this.registry, readings.cluster);
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
    const registers = [this.registry];
    new Counter({
      name: 'keyward_webhook_attempts_total',
      help: 'Attempts to deliver an event, by outcome.',
      labelNames: ['outcome'],
      registers,
      collect() {
        this.reset();
        for (const [outcome, count] of Object.entries(readings.webhooks().attempts))
          this.inc({ outcome }, count);
      },
    });
    this.#gauge(
      'webhook_deliveries_in_flight',
      'Deliveries being sent.',
      () => readings.webhooks().inFlight,
    );
    const oldest = new Gauge({
      name: 'keyward_webhook_oldest_due_age_seconds',
      help: 'Age of the oldest due delivery.',
      registers,
    });
    new Gauge({
      name: 'keyward_webhook_deliveries_due',
      help: 'Due deliveries, including those being sent.',
      registers,
      async collect() {
        // The other metrics matter most while the database is unavailable, so they do not wait for it.
        const unknown = { due: Number.NaN, oldestAgeMs: Number.NaN };
        const { due, oldestAgeMs } = await Promise.race([
          readings.backlog().catch(() => unknown),
          sleep(DATABASE_WAIT_MS, unknown, { ref: false }),
        ]);
        this.set(due);
        oldest.set(oldestAgeMs / 1000);
      },
    });
  }

  #counter(name: string, help: string, read: () => number): void {
    new Counter({
      name: `keyward_${name}_total`,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `keyward_${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}
