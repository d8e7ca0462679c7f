import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeRoutes } from '../../../src/app/routes.ts';
import { type ChildEdge, startEdge } from '../../edge/child-edge.ts';
import { exchange } from '../../edge/test-edge.ts';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../../harness/child-server.ts';
import { freePort } from '../../harness/free-port.ts';
import { figure, rounds, timeoutMs } from '../../harness/scale.ts';
import { runSeed, SeededRandom } from '../../harness/seeded-random.ts';
import { createTestClient } from '../../harness/test-client.ts';
import { type OddInput, OddRequests } from './odd-requests.ts';

const INPUTS_IN_ROUND = 100;
const CONCURRENCY = 10;
const HANG_MS = 240_000;
const WAIT_MS = 50;

/** Log lines of errors that no request should cause. */
const FAILURES = /unexpected error|a request failed|rejected promise|could not be sent|uncaught/i;

const folder = mkdtempSync(join(tmpdir(), 'keyward-odd-'));
const servers: { server: ChildServer; metricsPort: number; key: string }[] = [];
let edge: ChildEdge;

beforeAll(async () => {
  for (const hotPath of ['on', 'off']) {
    const metricsPort = await freePort();
    const server = await startServer({
      dataDir: join(folder, hotPath),
      env: {
        KEYWARD_HOT_PATH: hotPath,
        KEYWARD_METRICS_PORT: String(metricsPort),
        KEYWARD_MANAGEMENT_LIMIT: '1000000',
        KEYWARD_LOG_LEVEL: 'warn',
      },
    });
    const { body } = await createTestClient(server.url, BOOTSTRAP_KEY).post('/api-keys', {
      name: 'Key',
    });
    servers.push({ server, metricsPort, key: body.key });
  }
  edge = await startEdge({
    upstreamUrl: servers[0]!.server.url,
    accessKey: BOOTSTRAP_KEY,
    env: { KEYWARD_LOG_LEVEL: 'warn' },
  });
});
afterAll(async () => {
  await edge?.end('SIGKILL');
  for (const { server } of servers) await server.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves when the server has answered or closed the connection; a timeout is a hang. */
function sendInput(port: number, { pieces, ending }: OddInput): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    const done = () => {
      clearTimeout(timer);
      // A reset avoids TIME_WAIT: the test opens more connections than there are ports.
      socket.resetAndDestroy();
      resolve();
    };
    const hang = () => reject(new Error('The server neither answered nor closed the connection.'));
    // An incomplete request on an open connection ends with a server timeout; do not wait for it.
    const timer = ending === 'wait' ? setTimeout(done, WAIT_MS) : setTimeout(hang, HANG_MS);
    socket
      .on('error', () => {})
      .on('close', done)
      .on('data', done);
    for (const piece of pieces) socket.write(piece);
    if (ending === 'end') socket.end();
    else if (ending === 'reset') socket.once('connect', () => setImmediate(done));
  });
}

it(
  'no request ends the process, whichever listener it is sent to',
  async () => {
    const seed = runSeed();
    const random = new SeededRandom(seed);
    const paths = [...describeRoutes().map(({ path }) => path), '/metrics', '/docs', '/dashboard/'];
    const odd = new OddRequests(random, paths, BOOTSTRAP_KEY);
    const portOf = (url: string) => Number(new URL(url).port);
    const ports = servers.flatMap(({ server, metricsPort }) => [
      ...[portOf(server.url), portOf(server.url), metricsPort, portOf(edge.address)],
    ]);
    const done = await rounds({ full: 1_000, quick: 100, atLeast: 10 }, async () => {
      const inputs = Array.from({ length: INPUTS_IN_ROUND }, () => odd.next());
      const worker = async () => {
        for (let input = inputs.pop(); input !== undefined; input = inputs.pop())
          try {
            await sendInput(random.pick(ports), input);
          } catch (error) {
            const shown = JSON.stringify(Buffer.concat(input.pieces).toString('latin1'));
            throw new Error(`seed ${seed}: ${(error as Error).message}\n${shown.slice(0, 2_000)}`);
          }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    });
    console.log(`process alive: ${figure(done * INPUTS_IN_ROUND)} odd requests (seed ${seed})`);

    expect(edge.process.exitCode, edge.output.slice(-2_000)).toBeNull();
    const { key } = servers[0]!;
    await expect
      .poll(async () => {
        const headers = { 'x-api-key': BOOTSTRAP_KEY };
        return (await exchange(edge.address, { path: `/api-keys/auth/${key}`, headers })).status;
      })
      .toBe(200);
    expect(edge.output.split('\n').filter((line) => FAILURES.test(line))).toEqual([]);
    for (const { server, metricsPort, key } of servers) {
      expect(server.process.exitCode, server.stderr.slice(-2_000)).toBeNull();
      const client = createTestClient(server.url, BOOTSTRAP_KEY);
      expect((await client.post(`/api-keys/auth/${key}`)).body.name).toBe('Key');
      expect((await client.get('/projects')).status).toBe(200);
      expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(200);
      expect(server.stderr.split('\n').filter((line) => FAILURES.test(line))).toEqual([]);
    }
  },
  timeoutMs,
);
