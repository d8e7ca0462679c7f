import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findOnPath } from '../../../../scripts/test-tools.ts';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../../harness/child-server.ts';
import { freePort } from '../../harness/free-port.ts';
import { administer } from '../../harness/postgres/database.ts';
import { type FreshPostgres, freshPostgres } from '../../harness/postgres/postgres.ts';
import { TestRedis } from '../../harness/redis/redis.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { createTestClient } from '../../harness/test-client.ts';
import { type Receiver, startReceiver } from '../../webhooks/receiver.ts';
import { LoopImage, requireLoopImages } from '../faults/crash/loop-image.ts';
import { TestPrometheus } from './prometheus.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const RULES = join(ROOT, 'deploy/monitoring/alerts.yml');
const rules = readFileSync(RULES, 'utf8');
const ALERTS = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name!);

/** Without waiting times, and with rates over seconds: what is tested is the expression. */
const immediate = rules
  .replaceAll(/^ +for: .*\n/gm, '')
  .replaceAll(/\[(5|30)m\]/g, '[10s]')
  .replaceAll(/\[(10|15)m\]/g, '[5m]');

/** Not the default. */
const METRICS_HOST = '127.0.0.2';

let folder: string;
let database: FreshPostgres;
let redis: TestRedis;
let proxy: TcpProxy;
let receiver: Receiver;
let server: ChildServer;
let prometheus: TestPrometheus;
let metricsPort: number;
const fired = new Set<string>();

async function start(more: Record<string, string> = {}): Promise<ChildServer> {
  return startServer({
    dataDir: join(folder, 'data'),
    env: {
      KEYWARD_DATABASE_URL: proxy.via(database.url),
      KEYWARD_SECRET: 'the root secret of a cluster in the tests',
      KEYWARD_REDIS_URL: redis.url,
      KEYWARD_METRICS_PORT: String(metricsPort),
      KEYWARD_METRICS_HOST: METRICS_HOST,
      KEYWARD_WEBHOOK_ALLOW: '127.0.0.0/8',
      ...more,
    },
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-alerts-'));
  [database, redis, receiver] = await Promise.all([
    freshPostgres({ migrated: true }),
    TestRedis.start(),
    startReceiver(),
  ]);
  const { hostname, port } = new URL(database.url);
  proxy = await TcpProxy.to(hostname, Number(port));
  metricsPort = await freePort();
  server = await start();
  prometheus = await TestPrometheus.start(`${METRICS_HOST}:${metricsPort}`, immediate);
});
afterAll(async () => {
  server?.process.kill('SIGKILL');
  await Promise.all([server?.exited, prometheus?.close(), receiver?.close()]);
  await proxy?.close();
  await Promise.all([redis?.dispose(), database?.dispose()]);
  rmSync(folder, { recursive: true });
});

async function send(
  path: string,
  body?: object,
): Promise<{ status: number; body: { key: string } }> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'x-api-key': BOOTSTRAP_KEY, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const promtool = (args: readonly string[], input = ''): string =>
  execFileSync(process.env.PROMTOOL_PATH ?? findOnPath(['promtool'])!, args, {
    encoding: 'utf8',
    input,
  });

// First, while the server runs.
it('has metrics that promtool accepts without a remark', async () => {
  const metrics = await fetch(`http://${METRICS_HOST}:${metricsPort}/metrics`);
  expect(promtool(['check', 'metrics'], await metrics.text())).toBe('');
});

it('has rules that promtool accepts', () => {
  expect(promtool(['check', 'rules', RULES])).toContain(`SUCCESS: ${ALERTS.length} rules found`);
});

/** Repeats a fault until the alert fires, and checks what it says. */
async function untilFiring(
  name: string,
  fault: () => unknown = () => {},
  source: TestPrometheus = prometheus,
): Promise<void> {
  while (!fired.has(name)) {
    await fault();
    for (let checks = 0; checks < 10 && !fired.has(name); checks++) {
      const alert = await source.alert(name);
      if (alert?.state === 'firing') {
        fired.add(name);
        for (const text of Object.values(alert.annotations)) expect(text).not.toMatch(/<no value>/);
      } else await sleep(100);
    }
  }
}

const validateUnknown = () => send('/api-keys/auth', { key: `live_unknown${Math.random()}` });

describe('alerts fire', () => {
  it('when Redis is unavailable', async () => {
    await redis.kill();
    await untilFiring('KeywardLimitsNotShared');
    await redis.launch();
  });

  it('when the database cannot be reached', async () => {
    const { key: known } = (await send('/api-keys', { name: 'Known' })).body;
    expect((await send('/api-keys/auth', { key: known })).status).toBe(200);
    proxy.cut();
    await untilFiring('KeywardDatabaseUnreachable');
    await untilFiring('KeywardChangesNotReceived');
    await untilFiring('KeywardValidationsFailing', validateUnknown);
    await untilFiring('KeywardUsageNotWritten', () => send('/api-keys/auth', { key: known }));
    proxy.forward();
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  it('when the database is slow', async () => {
    await expect.poll(() => prometheus.alert('KeywardSlowValidations')).toBeUndefined();
    await untilFiring('KeywardSlowValidations', async () => {
      proxy.freeze();
      const slow = validateUnknown();
      await sleep(200);
      proxy.thaw();
      await slow;
    });
  });

  it('when lists do not end in time', async () => {
    await untilFiring('KeywardListsFailing', async () => {
      const holding = administer(
        database.url,
        'begin; lock table leaks; select pg_sleep(6); commit',
      );
      const list = await fetch(`${server.url}/leaks`, { headers: { 'x-api-key': BOOTSTRAP_KEY } });
      expect([200, 503]).toContain(list.status);
      await holding;
    });
  });

  it('when more requests arrive than it can serve', async () => {
    // One caller may have 500 requests in progress.
    const headers = { 'x-api-key': BOOTSTRAP_KEY, 'content-type': 'application/json' };
    const options = { method: 'POST', headers: { ...headers, 'content-length': '100' } };
    await untilFiring('KeywardOverloaded', async () => {
      const all = Array.from({ length: 510 }, () => request(`${server.url}/api-keys`, options));
      const rejected = all.map(async (each) => {
        each.on('error', () => {}).write('{');
        const [response] = await once(each, 'response');
        return response.statusCode;
      });
      expect(await Promise.race(rejected)).toBe(503);
      for (const each of all) each.destroy();
      await Promise.allSettled(rejected);
    });
  });

  it('when the process gets no CPU time', async () => {
    await untilFiring('KeywardEventLoopBlocked', async () => {
      // Shorter than the timeout of a scrape, and more than one in a hundred of the delays measured.
      for (let stops = 0; stops < 15; stops++) {
        server.process.kill('SIGSTOP');
        await sleep(250);
        server.process.kill('SIGCONT');
        await sleep(20);
      }
    });
  });

  it('when webhooks fail or wait', async () => {
    const hook = { name: 'Failing', topics: ['api-key.created'] };
    const createHook = async (path: string) =>
      expect((await send('/webhooks', { ...hook, url: receiver.url + path })).status).toBe(201);
    await createHook('/error/alerts');
    await untilFiring('KeywardWebhooksFailing', () => send('/api-keys', { name: 'A key' }));
    await createHook('/hang/alerts');
    await send('/api-keys', { name: 'A key' });
    await untilFiring('KeywardWebhooksLate', () =>
      administer(database.url, "update deliveries set due_at = 1 where status = 'pending'"),
    );
  });

  it('when the disk of an embedded database is full', async () => {
    requireLoopImages();
    const image = LoopImage.make(folder, 'disk').mount();
    onTestFinished(() => image.remove());
    const port = await freePort();
    const embedded = await startServer({
      dataDir: join(image.mountPoint, 'data'),
      env: { KEYWARD_METRICS_PORT: String(port) },
    });
    onTestFinished(async () => void (await embedded.end('SIGKILL')));
    const watching = await TestPrometheus.start(`127.0.0.1:${port}`, immediate);
    onTestFinished(() => watching.close());
    const client = createTestClient(embedded.url, BOOTSTRAP_KEY);
    const { id } = (await client.post('/api-keys', { name: 'leaked' })).body;
    image.fill();
    await untilFiring('KeywardDiskAlmostFull', () => {}, watching);
    expect(await watching.alert('KeywardDiskFull')).toBeUndefined();
    while ((await client.post('/api-keys', { name: 'x' })).status === 201);
    await untilFiring('KeywardDiskFull', () => client.delete(`/api-keys/${id}`), watching);
  });

  it('when its clock is wrong', async () => {
    await server.end('SIGTERM');
    const ahead = 'const now = Date.now; Date.now = () => now() + 1500;';
    const module = `data:text/javascript,${encodeURIComponent(ahead)}`;
    server = await start({ NODE_OPTIONS: `--import ${module}` });
    await untilFiring('KeywardClockWrong');
    await server.end('SIGTERM');
    server = await start();
  });

  it('when it restarts again and again, and when it is down', async () => {
    const isScraped = () => prometheus.query('up{job="keyward"} == 1');
    await untilFiring('KeywardRestarting', async () => {
      await server.end('SIGKILL');
      server = await start();
      await expect.poll(isScraped).toBe(1);
    });
    await server.end('SIGTERM');
    await untilFiring('KeywardDown');
  });
});

it('has tested every alert', () => {
  expect([...fired].toSorted()).toEqual(ALERTS.toSorted());
});

it('has advice for every alert in the guide', () => {
  const guide = readFileSync(join(ROOT, 'docs/guides/monitoring.md'), 'utf8');
  expect([...guide.matchAll(/^\| `(Keyward\w+)`/gm)].map(([, name]) => name)).toEqual(ALERTS);
});

describe('the Grafana dashboard', () => {
  interface Panel {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }
  const { panels }: { panels: Panel[] } = JSON.parse(
    readFileSync(join(ROOT, 'deploy/monitoring/grafana-dashboard.json'), 'utf8'),
  );
  const queries = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  );

  it.each(queries)('%s shows metrics that exist', async (_, expression) => {
    for (const [metric] of expression.matchAll(/\b(keyward|process)_\w+\b/g))
      expect([metric, await prometheus.query(`last_over_time(${metric}[1h])`)]).not.toEqual([
        metric,
        0,
      ]);
    const filled = expression.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*');
    await prometheus.query(filled);
  });
});
