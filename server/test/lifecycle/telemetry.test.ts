import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../harness/child-server.ts';
import { createTestClient, type TestClient } from '../harness/test-client.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const SAMPLED = { traceparent: `00-${TRACE}-${CALLER}-01` };

type Json = ReturnType<typeof JSON.parse>;

/** Records what an OpenTelemetry collector would receive. */
class Collector {
  readonly spans: Json[] = [];
  readonly metrics = new Map<string, Json>();
  readonly headers: Json[] = [];
  readonly resources = new Set<string>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const body = (await json(request)) as Json;
      this.headers.push(request.headers);
      for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
        this.#addResource(resource);
        this.spans.push(...scopeSpans.flatMap(({ spans }: Json) => spans));
      }
      for (const { resource, scopeMetrics } of body.resourceMetrics ?? []) {
        this.#addResource(resource);
        for (const each of scopeMetrics.flatMap(({ metrics }: Json) => metrics))
          this.metrics.set(each.name, each);
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }

  #addResource({ attributes }: Json): void {
    for (const { key, value } of attributes) this.resources.add(`${key}=${value.stringValue}`);
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  named = (name: string): Json | undefined =>
    this.spans.find((span) => span.name === name && span.traceId === TRACE);

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const attributes = (span: Json): Record<string, Json> =>
  Object.fromEntries(
    span.attributes.map(({ key, value }: Json) => [key, value.stringValue ?? value.intValue]),
  );

const dataDir = mkdtempSync(join(tmpdir(), 'keyward-telemetry-'));
const collector = new Collector();
let receiver: Receiver;
let server: ChildServer;
let client: TestClient;
beforeAll(async () => {
  receiver = await startReceiver();
  server = await startServer({
    dataDir,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: await collector.listen(),
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
      KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8',
    },
  });
  client = createTestClient(server.url, BOOTSTRAP_KEY);
});
afterAll(async () => {
  server?.process.kill('SIGKILL');
  await Promise.all([server?.exited, receiver?.close()]);
  collector.close();
  rmSync(dataDir, { recursive: true });
});

it('continues a caller’s trace through the change, the database and the delivery', async () => {
  const topics = ['api-key.created'];
  await client.post('/webhooks', { name: 'traced', url: `${receiver.url}/traced`, topics });
  const created = await client.post('/api-keys', { name: 'Traced' }, SAMPLED);
  expect(created.status).toBe(201);
  await expect.poll(() => collector.named('deliver api-key.created')).toBeDefined();
  const request = collector.named('POST /api-keys')!;
  expect(request.parentSpanId).toBe(CALLER);
  expect(attributes(request)).toMatchObject({
    'http.route': '/api-keys',
    'http.response.status_code': 201,
    'keyward.request_id': created.headers.get('x-request-id'),
  });
  const delivery = collector.named('deliver api-key.created')!;
  expect(delivery.parentSpanId).toBe(request.spanId);
  expect(attributes(delivery)).toMatchObject({ 'http.response.status_code': 200 });
  const received = receiver.received.find(({ path }) => path === '/traced')!;
  expect(received.headers.traceparent).toBe(`00-${TRACE}-${delivery.spanId}-01`);
  const children = collector.spans.filter(({ parentSpanId }) => parentSpanId === request.spanId);
  expect(children.map(({ name }) => name)).toContain('transaction');
  expect(children.map(({ name }) => name).some((name) => name.startsWith('insert '))).toBe(true);
  expect(collector.resources).toContain('service.name=keyward');
  expect(collector.resources).toContain('deployment.environment.name=test');
  expect(collector.headers[0]).toMatchObject({ 'x-tenant': 'acme' });
  expect(JSON.stringify(collector.spans)).not.toContain(created.body.key);
});

it('records a validation only in the trace of its caller', async () => {
  const { body } = await client.post('/api-keys', { name: 'Validated' });
  const path = `/api-keys/auth/${body.key}`;
  for (const headers of [{}, { traceparent: `00-${TRACE}-${CALLER}-00` }, SAMPLED])
    expect((await client.post(path, undefined, headers)).status).toBe(200);
  const name = 'POST /api-keys/auth/:key';
  await expect.poll(() => collector.named(name)).toBeDefined();
  // A later span has arrived, so none is still on its way.
  await client.get('/projects', SAMPLED);
  await expect.poll(() => collector.named('GET /projects')).toBeDefined();
  expect(collector.spans.filter((span) => span.name === name)).toHaveLength(1);
  expect(JSON.stringify(collector.spans)).not.toContain(body.key);
});

it('sends the Prometheus metrics under the same names', async () => {
  await expect.poll(() => collector.metrics.get('keyward_validations_total')).toBeDefined();
  const valid = () =>
    collector.metrics
      .get('keyward_validations_total')
      .sum.dataPoints.find(({ attributes: [label] }: Json) => label.value.stringValue === 'valid')
      ?.asDouble;
  await expect.poll(valid).toBe(3);
  const { histogram } = collector.metrics.get('keyward_http_request_duration_seconds');
  for (const { count, bucketCounts, explicitBounds } of histogram.dataPoints) {
    expect(bucketCounts).toHaveLength(explicitBounds.length + 1);
    expect(bucketCounts.reduce((sum: number, n: number) => sum + Number(n), 0)).toBe(Number(count));
  }
  expect(collector.metrics.get('keyward_cache_entries').gauge.dataPoints[0].asDouble).toBe(1);
});

it('sends what is left when the server stops', async () => {
  const last = { traceparent: `00-${TRACE.replace('0', 'f')}-${CALLER}-01` };
  await client.get('/account', last);
  server.process.kill('SIGTERM');
  await server.exited;
  expect(collector.spans.some(({ traceId }) => traceId.startsWith('f'))).toBe(true);
});
