import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../../harness/free-port.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { GATEWAYS, RECIPES, startGateway } from './gateway-process.ts';
import { DOCUMENTS, PLAIN, SEGMENT, UNCLEAR } from './paths.ts';

/** Headers that only the gateway may set, in every spelling that an API may treat as the same. */
const NAMES = [
  ...['key-id', 'project-id', 'account-id', 'user-id', 'name', 'env', 'metadata'],
  ...['metadata-omitted', 'access-key', 'operator', 'key', 'status', 'code', 'permission'],
  ...['permissions', 'account', 'client-ip'],
];
const spellingsOf = (name: string): string[] =>
  name
    .split('-')
    .reduce<string[]>(
      (spellings, part) =>
        spellings.flatMap((start) => ['-', '_'].map((separator) => start + separator + part)),
      ['x'],
    );
const FORGED = NAMES.flatMap((name) => {
  const whole = `keyward-${name}`;
  return [...spellingsOf(whole), `X.${whole.replaceAll('-', '.')}`];
});
const genuineName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
async function listening(handle: RequestListener): Promise<Server> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
function close(server: Server): void {
  server.closeAllConnections();
  server.close();
}

let keyward: TestApp;
let api: Server;
/** The requests that reached the API. */
let seen: IncomingMessage[] = [];

beforeAll(async () => {
  keyward = await startTestApp({ realClock: true });
  api = await listening((incoming, response) => {
    seen.push(incoming);
    response.end('{}');
  });
});
afterAll(async () => {
  close(api);
  await keyward.close();
});

const keywardPort = (): number => Number(new URL(keyward.url).port);
const createKey = async (body: object = {}) =>
  (await keyward.client.post('/api-keys', { name: 'Key', projectId: keyward.projectId, ...body }))
    .body;
const createAccessKey = async (body: object) =>
  (await keyward.client.post('/access-keys', { name: 'Gateway', ...body })).body;

describe.each(GATEWAYS)('%s with its recipe', (name) => {
  /** Starts a gateway, sends one request through it, and stops it. */
  async function request(
    change: Partial<Parameters<typeof startGateway>[1]>,
    headers: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; text: string }> {
    seen = [];
    const addresses = {
      keywardPort: keywardPort(),
      apiPort: portOf(api),
      accessKey: keyward.accessKey,
    };
    const gateway = await startGateway(name, { ...addresses, ...change });
    try {
      const response = await fetch(`${gateway.url}/hello`, { headers });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } finally {
      await gateway.stop();
    }
  }

  it('removes headers with our names that a user sends, in any spelling', async () => {
    const { key, id } = await createKey({ customUserId: 'ada' });
    // In two requests: HAProxy accepts 101 headers.
    for (const half of [FORGED.slice(0, FORGED.length / 2), FORGED.slice(FORGED.length / 2)]) {
      const forged = Object.fromEntries(half.map((spelling) => [spelling, 'forged']));
      expect(await request({}, { ...forged, 'x-api-key': key })).toMatchObject({ status: 200 });
      const headers = Object.entries(seen[0]!.headers).filter(([header]) =>
        genuineName(header).startsWith('x-keyward'),
      );
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-keyward-key-id': id,
        'x-keyward-user-id': 'ada',
      });
      expect(headers.filter(([header]) => header !== genuineName(header))).toEqual([]);
      expect(JSON.stringify(seen[0]!.rawHeaders)).not.toContain('forged');
    }
  });

  it('adds the rate-limit headers to the response of the API', async () => {
    const rateLimitConfigs = { rateLimit: 3, rateLimitTtl: 600 };
    const { key } = await createKey({ rateLimitConfigs });
    const response = await request({}, { 'x-api-key': key });
    expect(response.status).toBe(200);
    expect(response.headers.get('ratelimit-limit')).toBe('3');
    expect(response.headers.get('ratelimit-remaining')).toBe('2');
    expect(response.headers.get('ratelimit-consumed')).toBe('1');
    expect(Number(response.headers.get('ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
    expect(Number(response.headers.get('retry-after-seconds'))).toBeGreaterThan(0);
    const unlimited = await request({}, { 'x-api-key': (await createKey()).key });
    expect(unlimited.status).toBe(200);
    for (const header of ['ratelimit-limit', 'ratelimit-consumed', 'retry-after-seconds'])
      expect(unlimited.headers.has(header), header).toBe(false);
  });

  const MISTAKES: [string, () => Promise<Parameters<typeof request>[0]>][] = [
    ['an unknown access key', async () => ({ accessKey: 'account_access_unknown' })],
    [
      'an access key without the scope',
      async () => ({ accessKey: (await createAccessKey({ scopes: ['projects:read'] })).key }),
    ],
    [
      'a revoked access key',
      async () => {
        const { key, id } = await createAccessKey({});
        await keyward.client.delete(`/access-keys/${id}`);
        return { accessKey: key };
      },
    ],
    ['no server at the address', async () => ({ keywardPort: await freePort() })],
  ];
  it.each(MISTAKES)('answers 503 with %s', async (_kind, mistake) => {
    const { key } = await createKey();
    const change = { ...(await mistake()), withRecipeTimeouts: true };
    expectUnavailable(await request(change, { 'x-api-key': key }));
  });

  const OTHER_SERVERS: [string, RequestListener][] = [
    ['200', (_, response) => response.end('<html>')],
    ['401', (_, response) => response.writeHead(401).end('<html>')],
    ['404', (_, response) => response.writeHead(404).end('<html>')],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/login' }).end()],
    ['500', (_, response) => response.writeHead(500).end('<html>')],
    ['no response', () => {}],
  ];
  it.each(OTHER_SERVERS)('answers 503 if another server answers with %s', async (_kind, handle) => {
    const server = await listening(handle);
    const change = { keywardPort: portOf(server), withRecipeTimeouts: true };
    expectUnavailable(await request(change, { 'x-api-key': 'some-key-value' }));
    close(server);
  });

  it('returns its own error, not keyward_unavailable, if the API is unreachable', async () => {
    const { key } = await createKey();
    const response = await request({ apiPort: await freePort() }, { 'x-api-key': key });
    expect(response.status).toBeGreaterThanOrEqual(502);
    expect(response.text).not.toContain('keyward_unavailable');
  });
});

function expectUnavailable(response: { status: number; headers: Headers; text: string }): void {
  expect(response.status).toBe(503);
  expect(JSON.parse(response.text)).toEqual({ statusCode: 503, code: 'keyward_unavailable' });
  expect(response.headers.get('content-type')).toContain('application/json');
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(seen).toEqual([]);
}

describe('the recipes', () => {
  const textOf = (file: string): string => readFileSync(new URL(file, RECIPES), 'utf8');

  it.each([
    ['nginx.conf', /proxy_connect_timeout (\d+)ms;[^}]*proxy_read_timeout (\d+)ms;/],
    ['Caddyfile', /dial_timeout (\d+)ms\s+response_header_timeout (\d+)ms/],
    ['haproxy.cfg', /listen keyward\n[^}]*timeout connect (\d+)ms\n\s+timeout server (\d+)ms/],
  ])('%s waits for Keyward for one second at most', (file, timeouts) => {
    const [, connect, response] = timeouts.exec(textOf(file)) ?? [];
    expect(Number(connect) + Number(response)).toBeLessThanOrEqual(1_000);
  });

  it('traefik.yml, which is not run here, removes our headers in every spelling with - and _', () => {
    const text = textOf('traefik.yml');
    const replaced = ['x-keyward-access-key'];
    const missing = [...FORGED, 'x-origin-domain']
      .filter((spelling) => !spelling.includes('.'))
      .filter((spelling) => !replaced.includes(spelling))
      .filter((spelling) => !new RegExp(`^ +${spelling}: ''$`, 'mi').test(text));
    expect(missing).toEqual([]);
  });

  it.each(['nginx.conf', 'Caddyfile', 'haproxy.cfg', 'traefik.yml', 'envoy.yaml'])(
    '%s has the pattern of a plain segment once, and a commented line for preflights',
    (file) => {
      expect(textOf(file).split(SEGMENT)).toHaveLength(2);
      expect(textOf(file)).toMatch(/To pass them on, remove the # in the next lines?\.\n\s*# \S/);
    },
  );

  it.each([
    ['traefik.yml', /!PathRegexp\(`(.*)`\)/],
    [
      'envoy.yaml',
      /':path'\n\s+string_match: \{ safe_regex: \{ regex: '(.*)' \} \}\n\s+invert_match: true/,
    ],
  ])('%s, which is not run here, passes on only plain paths', (file, line) => {
    const plain = new RegExp(`^(?:${line.exec(textOf(file))![1]})$`);
    const pathOf = (target: string) => (file === 'traefik.yml' ? target.split('?')[0]! : target);
    expect(UNCLEAR.filter((path) => plain.test(path))).toEqual([]);
    expect([...PLAIN, ...DOCUMENTS].filter((target) => !plain.test(pathOf(target)))).toEqual([]);
  });

  it.each([
    ['traefik.yml', /^ +([A-Z][\w-]+): ''$/gm],
    ['envoy.yaml', /^ +- remove: ([\w-]+)$/gm],
  ])(
    '%s, which is not run here, removes headers for one connection and those that replace path or method',
    (file, line) => {
      const removed = [...textOf(file).matchAll(line)].map(([, name]) => name!.toLowerCase());
      const names = ['te', 'trailer', 'proxy', 'proxy-authorization', 'http2-settings'];
      names.push(
        'x-original-url',
        'x-rewrite-url',
        'x-http-method-override',
        'x-keyward-client-ip',
      );
      expect(names.filter((name) => !removed.includes(name))).toEqual([]);
    },
  );

  it('traefik.yml, which is not run here, decides about Connection in each router', () => {
    const { http } = parse(textOf('traefik.yml'));
    const routers = Object.entries<{ middlewares: string[] }>(http.routers);
    for (const [name, { middlewares }] of routers.filter(([name]) => name !== 'unclear-paths')) {
      expect(middlewares[0], name).toBe('keyward-before');
      expect(middlewares[1], name).toBe(name.endsWith('websocket') ? 'websocket' : 'no-upgrade');
      expect(middlewares.at(-1), name).toBe('keyward-after');
    }
    const sent = http.middlewares.websocket.headers.customRequestHeaders;
    expect(sent).toEqual({ Connection: 'Upgrade', Upgrade: 'websocket' });
    for (const { forwardAuth } of Object.values<{ forwardAuth?: object }>(http.middlewares))
      if (forwardAuth) expect(forwardAuth).toMatchObject({ trustForwardHeader: false });
  });

  it('envoy.yaml, which is not run here, refuses paths that no route names, and sends the address', () => {
    const [listener] = parse(textOf('envoy.yaml')).static_resources.listeners;
    const { typed_config: manager } = listener.filter_chains[0].filters[0];
    const { routes } = manager.route_config.virtual_hosts[0];
    expect(routes.at(-1)).toMatchObject({
      match: { prefix: '' },
      direct_response: { status: 404 },
    });
    const [mutations, authorization] = manager.http_filters;
    expect(JSON.stringify(mutations)).toContain(
      '{"key":"x-keyward-client-ip","value":"%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%"}',
    );
    expect(authorization.typed_config.allowed_headers.patterns).toContainEqual({
      exact: 'x-keyward-client-ip',
    });
    expect(manager.upgrade_configs).toEqual([{ upgrade_type: 'websocket' }]);
  });

  it.each(['traefik.yml', 'envoy.yaml'])(
    '%s, which is not run here, requires a permission per route and requests a 503 if its own access key is rejected',
    (file) => {
      expect(textOf(file)).toMatch(/x-keyward-own-errors(:|, value:) '503'/i);
      expect(textOf(file)).toMatch(/permission(=|, value: )documents\.read/);
      expect(textOf(file)).toMatch(/permission(=|, value: )documents\.write/);
    },
  );

  it('envoy.yaml, which is not run here, drops headers with underscores and x-keyward-permission, and does not forward x-origin-domain', () => {
    expect(textOf('envoy.yaml')).toContain('headers_with_underscores_action: DROP_HEADER');
    expect(textOf('envoy.yaml')).not.toContain('exact: x-origin-domain');
    expect(textOf('envoy.yaml')).toContain('remove: x-keyward-permission\n');
  });
});
