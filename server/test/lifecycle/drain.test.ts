// 5 s of CPU: a server process for every way to stop, with requests all the while.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { BOOTSTRAP_KEY, type ChildServer, startServer } from '../harness/child-server.ts';
import { EventReader } from '../harness/event-reader.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'keyward-drain-'));
const servers: ChildServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

/** Longer than a test may take: only a signal ends this drain. */
const UNTIL_SIGNAL = '300';
const CLEAN = { code: 0, signal: null };

async function start(env: Readonly<Record<string, string>>): Promise<ChildServer> {
  const server = await startServer({ dataDir, env });
  servers.push(server);
  return server;
}

async function logged(server: ChildServer, message: string): Promise<void> {
  while (!server.stderr.includes(`"msg":"${message}"`)) await once(server.process.stderr!, 'data');
}

interface Answer {
  readonly status: number;
  readonly connection: string | undefined;
  readonly body: ReturnType<typeof JSON.parse>;
}

/** Without an agent, the request has a connection of its own, and asks to keep it. */
async function send(
  server: ChildServer,
  method: string,
  path: string,
  { body, agent = new Agent({ keepAlive: true }) }: { body?: object; agent?: Agent } = {},
): Promise<Answer> {
  const headers = { 'x-api-key': BOOTSTRAP_KEY, 'content-type': 'application/json' };
  const outgoing = request(server.url + path, { method, headers, agent });
  outgoing.end(body && JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  const { statusCode: status, headers: received } = response;
  return { status, connection: received.connection, body: JSON.parse(await text(response)) };
}

it.each(['on', 'off'])(
  'after SIGTERM a node is not ready, accepts connections, and answers everything with "connection: close" (hot path %s)',
  async (hotPath) => {
    const server = await start({
      KEYWARD_DRAIN_SECONDS: UNTIL_SIGNAL,
      KEYWARD_HOT_PATH: hotPath,
    });
    const { key } = (await send(server, 'POST', '/api-keys', { body: { name: 'Key' } })).body;
    const [validating, managing] = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
    const validate = (agent?: Agent) =>
      send(server, 'POST', '/api-keys/auth', { body: { key }, ...(agent && { agent }) });
    const list = (agent?: Agent) => send(server, 'GET', '/api-keys', { ...(agent && { agent }) });
    const kept = { status: 200, connection: 'keep-alive' };
    expect(await validate(validating)).toMatchObject(kept);
    expect(await list(managing)).toMatchObject(kept);

    server.process.kill('SIGTERM');
    await logged(server, 'draining');
    const closed = { status: 200, connection: 'close' };
    const notReady = { status: 503, connection: 'close', body: { code: 'shutting_down' } };
    expect(await send(server, 'GET', '/readyz')).toMatchObject(notReady);
    expect(await send(server, 'GET', '/readyz?for=validations')).toMatchObject(notReady);
    expect(await send(server, 'GET', '/healthz')).toMatchObject(closed);
    // On the open connections, and on new ones.
    expect(await validate(validating)).toMatchObject(closed);
    expect(await list(managing)).toMatchObject(closed);
    expect(await validate()).toMatchObject(closed);
    expect(await list()).toMatchObject(closed);
    expect(await send(server, 'GET', '/no-such-path')).toMatchObject({
      status: 404,
      connection: 'close',
    });
    const made = await send(server, 'POST', '/api-keys', { body: { name: 'made late' } });
    expect(made).toMatchObject({ status: 201, connection: 'close' });
    // A stream is served until the drain ends.
    const reader = await EventReader.open(`${server.url}/changes`, { 'x-api-key': BOOTSTRAP_KEY });
    expect((await reader.next())?.event).toBe('reset');

    // The second signal ends the drain; it would take 300 s.
    expect(await server.end('SIGTERM')).toEqual(CLEAN);
    expect(await reader.nextChange()).toMatchObject({ data: { reason: 'shutting_down' } });
    expect(server.stderr).not.toMatch(/"level":(50|60)/);
  },
);

it('the drain ends by itself', async () => {
  const server = await start({ KEYWARD_DRAIN_SECONDS: '1' });
  const startedAt = performance.now();
  expect(await server.end('SIGTERM')).toEqual(CLEAN);
  expect(performance.now() - startedAt).toBeGreaterThan(990);
  expect(server.stderr).toContain('"drainMs":1000,"msg":"draining"');
});

it('Ctrl-C stops without a drain', async () => {
  const server = await start({ KEYWARD_DRAIN_SECONDS: UNTIL_SIGNAL });
  expect(await server.end('SIGINT')).toEqual(CLEAN);
});

it('a wrong drain time is refused', async () => {
  await expect(start({ KEYWARD_DRAIN_SECONDS: '301' })).rejects.toThrow(
    'KEYWARD_DRAIN_SECONDS must be a whole number from 0 to 300',
  );
});
