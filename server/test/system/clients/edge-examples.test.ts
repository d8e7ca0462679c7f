import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, get as httpGet } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, runToEnd, startServer } from '../../harness/child.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { type Gateway, startGateway } from '../gateways/gateway-process.ts';
import { buildGo, PYTHON_ENV, python, ROOT } from './client-driver.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyward-edge-'));
// The workers of nginx run as another user.
chmodSync(folder, 0o755);
const SOCKET = join(folder, 'edge.sock');
const LISTENING = /listening on port (\d+)/;

let test: TestApp;
let edge: RunningServer;
/** The API behind nginx: it says hello to the caller that nginx names. */
const api = createServer((request, response) => {
  const body = request.url === '/documents' ? { documents: [] } : { hello: callerOf(request) };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
});
const callerOf = ({ headers }: { headers: NodeJS.Dict<string | string[]> }) =>
  decodeURIComponent(String(headers['x-keyward-name']));

beforeAll(async () => {
  test = await startTestApp({ realClock: true });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  edge = await startEdge();
});
afterAll(async () => {
  await edge?.stop();
  api.close();
  await test.close();
  rmSync(folder, { recursive: true });
});

/** The command of the READMEs, with another server and socket. */
async function startEdge(): Promise<RunningServer> {
  const readme = readFileSync(join(ROOT, 'examples/edge-python/README.md'), 'utf8');
  const [, command = ''] = /npx keyward (edge .*)/.exec(readme)!;
  for (const name of ['edge-go', 'edge-nginx'])
    expect(readFileSync(join(ROOT, 'examples', name, 'README.md'), 'utf8')).toContain(command);
  const words = command
    .replace('http://127.0.0.1:8080', test.url)
    .replace('/tmp/keyward-edge.sock', SOCKET)
    .split(' ');
  const shell = ['-c', 'umask 0; exec "$@"', 'sh', process.execPath];
  const argv = [...shell, join(ROOT, 'server/bin/keyward.mjs'), ...words];
  const env = {
    KEYWARD_ACCESS_KEY: test.accessKey,
    KEYWARD_UPSTREAM_TIMEOUT_SECONDS: '240',
  };
  const running = await startServer('sh', argv, ROOT, env, /Keyward edge is ready at .*()$/m);
  while ((await statusOf('/readyz')) !== 200) await new Promise((go) => setTimeout(go, 20));
  // The first validation loads code, which takes longer than the examples wait on a busy machine.
  await statusOf('/api-keys/auth/a-value-that-no-key-has');
  return running;
}

const statusOf = (path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    httpGet({ socketPath: SOCKET, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });

const EXAMPLES: Record<string, () => Promise<RunningServer | Gateway>> = {
  'edge-python': () =>
    startServer(python(), ['server.py'], join(ROOT, 'examples/edge-python'), env(), LISTENING),
  async 'edge-go'() {
    const program = join(folder, 'edge-go');
    await buildGo(join(ROOT, 'examples/edge-go'), program);
    return startServer(program, [], folder, env(), LISTENING);
  },
  async 'edge-nginx'() {
    const apiPort = (api.address() as AddressInfo).port;
    const unused = { keywardPort: 0, accessKey: '' };
    return startGateway('nginx', { ...unused, apiPort, edit: await nginxEdit() });
  },
};
const env = () => ({ ...PYTHON_ENV, KEYWARD_URL: `unix:${SOCKET}`, PORT: '0' });

/** Applies the `sed` command of the README to the recipe. */
async function nginxEdit(): Promise<(recipe: string) => string> {
  const readme = readFileSync(join(ROOT, 'examples/edge-nginx/README.md'), 'utf8');
  const [, command = ''] = /^(sed [\s\S]*?) > /m.exec(readme)!;
  const edited = await runToEnd('sh', ['-c', command], ROOT);
  expect(edited).toContain('unix:/tmp/keyward-edge.sock');
  return () => edited.replace('/tmp/keyward-edge.sock', SOCKET);
}

describe.each(Object.keys(EXAMPLES))('examples/%s', (name) => {
  let server: RunningServer | Gateway;
  beforeAll(async () => {
    server = await EXAMPLES[name]!();
  });
  afterAll(() => server?.stop());

  const get = (key?: string, path = '/hello') =>
    fetch(server.url + path, { headers: key === undefined ? {} : { 'x-api-key': key } });
  const create = async (fields: object): Promise<{ id: string; key: string }> =>
    (await test.client.post('/api-keys', fields)).body;

  it('admits a valid key, and refuses the others', async () => {
    const { key, id } = await create({ name: 'Ada' });
    for (let i = 0; i < 3; i++) {
      const greeted = await get(key);
      expect(greeted.status).toBe(200);
      expect(await greeted.json()).toEqual({ hello: 'Ada' });
    }
    expect((await get()).status).toBe(401);
    expect((await get('unknown-key')).status).toBe(401);
    await test.client.delete(`/api-keys/${id}`);
    await expect.poll(async () => (await get(key)).status).toBe(401);
    expect(await (await get(key)).text()).not.toContain(key);
  });

  it('requires a permission for /documents', async () => {
    const reader = await create({ name: 'Cy', permissions: ['documents.*'] });
    const other = await create({ name: 'Di', permissions: ['users.*'] });
    const documents = await get(reader.key, '/documents');
    expect(documents.status).toBe(200);
    expect(await documents.json()).toEqual({ documents: [] });
    expect((await get(other.key, '/documents')).status).toBe(403);
    expect((await get(other.key)).status).toBe(200);
  });

  it('applies the limit of a key, and sends its headers', async () => {
    const rateLimitConfigs = { rateLimit: 1, rateLimitTtl: 3600 };
    const { key } = await create({ name: 'Bob', rateLimitConfigs });
    const first = await get(key);
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-limit')).toBe('1');
    expect(first.headers.get('ratelimit-remaining')).toBe('0');
    const second = await get(key);
    expect(second.status).toBe(429);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});
