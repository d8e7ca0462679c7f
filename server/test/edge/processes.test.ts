// 7 s of CPU: edges are processes here, several at once.
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { ChildEdge, type ChildEdgeOptions, startEdge } from './child-edge.ts';
import { exchange } from './test-edge.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ realClock: true });
});
afterAll(() => test.close());

const upstream = () => ({ upstreamUrl: test.url, accessKey: test.accessKey });

const statusOf = async (address: string, key: string): Promise<number> => {
  const headers = { 'x-api-key': test.accessKey };
  const body = JSON.stringify({ key });
  return (await exchange(address, { path: '/api-keys/auth', headers, body })).status;
};

/** Checks that seven uses were reported, and that no lease is left. */
async function expectUsage(key: string, id: string): Promise<void> {
  await test.app.tally.flush();
  const { body } = await test.client.get(`/analytics/usage?groupBy=outcome&interval=day&key=${id}`);
  const valid = body.filter(({ group }: { group: string }) => group === 'valid');
  expect(valid.map(({ total }: { total: number }) => total)).toContain(7);
  const { headers } = await test.client.post('/api-keys/auth', { key });
  expect(headers.get('ratelimit-consumed')).toBe('8');
}

it('a process shuts down cleanly at SIGTERM: it returns its leases and reports its usage', async () => {
  const { key, id } = (
    await test.client.post('/api-keys', {
      name: 'Key',
      rateLimitConfigs: { rateLimit: 100, rateLimitTtl: 3_600 },
    })
  ).body;
  const edge = await startEdge(upstream());
  for (let n = 0; n < 7; n++) expect(await statusOf(edge.address, key)).toBe(200);
  expect(await edge.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await expectUsage(key, id);
});

it('the part of a limit that a killed process had leased is lost until the window ends, and not longer', async () => {
  const rateLimit = 200;
  const own = await startTestApp({ startAt: Date.now() });
  onTestFinished(() => own.close());
  const rateLimitConfigs = { rateLimit, rateLimitTtl: 60 };
  const { key } = (await own.client.post('/api-keys', { name: 'Key', rateLimitConfigs })).body;
  const edge = await startEdge({ upstreamUrl: own.url, accessKey: own.accessKey });
  const headers = { 'x-api-key': own.accessKey };
  const body = JSON.stringify({ key });
  const validate = (address: string) =>
    exchange(address, { path: '/api-keys/auth', headers, body });
  for (let n = 0; n < 20; n++) expect((await validate(edge.address)).status).toBe(200);
  await edge.end('SIGKILL');
  let admitted = 20;
  while ((await validate(own.url)).status === 200) admitted++;
  expect(admitted).toBeLessThanOrEqual(rateLimit);
  expect(admitted).toBeGreaterThanOrEqual(0.9 * rateLimit);
  own.clock.now += 61_000;
  let next = 0;
  while ((await validate(own.url)).status === 200) next++;
  expect(next).toBe(rateLimit);
});

it('the Unix socket of a process that was killed is replaced', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-edge-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const args = ['--listen', join(folder, 'edge.sock')];
  const killed = await startEdge({ ...upstream(), args });
  await killed.end('SIGKILL');
  const next = await startEdge({ ...upstream(), args });
  expect(await next.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

it('a wrong setting ends the start with a line that names it', async () => {
  const edge = new ChildEdge({ ...upstream(), args: ['--processes', 'many'] });
  expect((await edge.exited).code).toBe(1);
  expect(edge.output).toContain('--processes must be a whole number');
});

const listeningIn = ({ output }: ChildEdge): number[] =>
  [...output.matchAll(/"pid":(\d+),"address":[^\n]*"msg":"listening"/g)].map(([, pid]) =>
    Number(pid),
  );

const stoppedIn = ({ output }: ChildEdge): number[] =>
  [...output.matchAll(/"pid":(\d+),"msg":"stopped"/g)].map(([, pid]) => Number(pid));

/** A supervisor, and the process ids of its two children, which listen. */
async function startTwo(options: Partial<ChildEdgeOptions> = {}) {
  const args = ['--listen', `127.0.0.1:${await freePort()}`, '--processes', '2'];
  const supervisor = await startEdge({ ...upstream(), args, ...options });
  await expect.poll(() => listeningIn(supervisor).length).toBe(2);
  return { supervisor, children: listeningIn(supervisor) };
}

it('several processes shut down cleanly when a signal reaches all of them', async () => {
  const { supervisor, children } = await startTwo();
  const { key, id } = (
    await test.client.post('/api-keys', {
      name: 'Key',
      rateLimitConfigs: { rateLimit: 100, rateLimitTtl: 3_600 },
    })
  ).body;
  for (let n = 0; n < 7; n++) expect(await statusOf(supervisor.address, key)).toBe(200);
  for (const child of children) process.kill(child, 'SIGTERM');
  expect(await supervisor.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(stoppedIn(supervisor)).toEqual(expect.arrayContaining(children));
  await expectUsage(key, id);
});

it.each([1, 2])(
  'SIGTERM makes an edge of %i processes not ready, and closes each connection after its response, until another signal',
  async (processes) => {
    const { key } = (await test.client.post('/api-keys', { name: 'Key' })).body;
    const edge = await startEdge({
      ...upstream(),
      args: ['--listen', `127.0.0.1:${await freePort()}`, '--processes', String(processes)],
      env: { KEYWARD_DRAIN_SECONDS: '300' },
    });
    await expect.poll(() => listeningIn(edge).length).toBe(processes);
    const validation = {
      path: '/api-keys/auth',
      headers: { 'x-api-key': test.accessKey },
      body: JSON.stringify({ key }),
    };
    expect(await exchange(edge.address, validation)).toMatchObject({ status: 200 });
    edge.process.kill('SIGTERM');
    const draining = processes === 1 ? 1 : processes + 1;
    await expect.poll(() => edge.output.match(/"msg":"draining"/g)?.length).toBe(draining);
    const closing = { connection: 'close' };
    for (let n = 0; n < 10; n++) {
      const readiness = await exchange(edge.address, { method: 'GET', path: '/readyz' });
      expect(readiness).toMatchObject({ status: 503, headers: closing });
      expect(await exchange(edge.address, validation)).toMatchObject({
        status: 200,
        headers: closing,
      });
    }
    expect(await edge.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(stoppedIn(edge)).toHaveLength(draining);
  },
);

it('the processes of a supervisor that is killed shut down cleanly', async () => {
  const { supervisor, children } = await startTwo();
  // `end` waits until the output is closed, which stays open as long as a child runs.
  expect(await supervisor.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  expect(stoppedIn(supervisor).toSorted()).toEqual(children.toSorted());
});

it('several processes share a port, and one that is killed is started again', async () => {
  const { key } = (await test.client.post('/api-keys', { name: 'Key' })).body;
  const { supervisor, children } = await startTwo();
  process.kill(children[0]!, 'SIGKILL');
  await expect.poll(() => listeningIn(supervisor).length).toBe(3);
  expect(new Set(listeningIn(supervisor)).size).toBe(3);
  for (let n = 0; n < 20; n++) expect(await statusOf(supervisor.address, key)).toBe(200);
  expect(await supervisor.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

it('a scrape of one process responds with the metrics of all', async () => {
  const { key } = (await test.client.post('/api-keys', { name: 'Key' })).body;
  const { supervisor, children } = await startTwo();
  const headers = { 'x-api-key': test.accessKey, connection: 'close' };
  const body = JSON.stringify({ key });
  for (let n = 0; n < 20; n++)
    await exchange(supervisor.address, { path: '/api-keys/auth', headers, body });
  const scrape = async () =>
    (await exchange(supervisor.address, { method: 'GET', path: '/metrics' })).body;
  const text = await scrape();
  const counts = [...text.matchAll(/^keyward_validations_total\{.*process="(\d)"\} (\d+)$/gm)];
  expect(new Set(counts.map(([, number]) => number))).toEqual(new Set(['1', '2']));
  expect(counts.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(20);
  expect(text.match(/^process_start_time_seconds\{/gm)).toHaveLength(2);
  expect(text.match(/^# TYPE keyward_validations_total counter$/gm)).toHaveLength(1);
  process.kill(children[0]!, 'SIGKILL');
  await expect.poll(() => listeningIn(supervisor).length).toBe(3);
  expect((await scrape()).match(/^process_start_time_seconds\{process="[12]"/gm)).toHaveLength(2);
  expect(await supervisor.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

it('a process that cannot be started is tried again, and does not delay the stop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-edge-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const node = join(folder, 'node');
  copyFileSync(process.execPath, node);
  const { supervisor, children } = await startTwo({ node });
  renameSync(node, `${node}-away`);
  process.kill(children[0]!, 'SIGKILL');
  await expect.poll(() => supervisor.output).toContain('ENOENT');
  renameSync(`${node}-away`, node);
  await expect.poll(() => listeningIn(supervisor).length).toBe(3);
  renameSync(node, `${node}-away`);
  process.kill(children[1]!, 'SIGKILL');
  await expect.poll(() => supervisor.output.match(/ENOENT/g)?.length).toBeGreaterThan(1);
  expect(await supervisor.end('SIGTERM')).toEqual({ code: 0, signal: null });
});
