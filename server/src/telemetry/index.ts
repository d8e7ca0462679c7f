import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { RegistryMetrics } from './registry-metrics.ts';
import { traceRequests } from './request-spans.ts';
import { traceWork } from './work-spans.ts';

const STOP_TIMEOUT_MS = 1_500;

export interface Telemetry {
  traceRequests(server: FastifyInstance): void;
  /** The current span, as the value of a `traceparent` header; null outside of a recorded trace. */
  traceparent(): string | null;
  exportMetrics(registry: Registry): void;
  /** Sends what is left. */
  stop(): Promise<void>;
}

/**
 * Sends traces and metrics to an OpenTelemetry collector. Everything else is configured by the usual
 * variables: OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
 * OTEL_TRACES_SAMPLER.
 */
export function startTelemetry(
  endpoint: string,
  version: string,
  metricsEveryMs: number,
  log: FastifyBaseLogger,
): Telemetry {
  logProblems(log);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'keyward', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));
  const base = endpoint.replace(/\/+$/, '');
  const exporter = new OTLPTraceExporter({ url: `${base}/v1/traces` });
  const traces = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const tracer = traces.getTracer('keyward', version);
  traceWork(tracer);
  let metrics: MeterProvider | undefined;
  return {
    traceRequests: (server) => traceRequests(server, tracer),
    traceparent,
    exportMetrics(registry) {
      metrics = new MeterProvider({
        resource,
        readers: [
          new PeriodicExportingMetricReader({
            exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics` }),
            exportIntervalMillis: metricsEveryMs,
            metricProducers: [new RegistryMetrics(registry, resource)],
          }),
        ],
      });
    },
    async stop() {
      const stopped = Promise.allSettled([traces.shutdown(), metrics?.shutdown()]);
      await Promise.race([
        stopped,
        new Promise((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS).unref()),
      ]);
    },
  };
}

function traceparent(): string | null {
  if (!trace.getActiveSpan()?.isRecording()) return null;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** An unreachable collector is logged as a warning; it is not an error of this service. */
function logProblems(log: FastifyBaseLogger): void {
  const warn = (message: string) => log.warn({ problem: message }, 'sending telemetry failed');
  const ignore = () => {};
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
}
