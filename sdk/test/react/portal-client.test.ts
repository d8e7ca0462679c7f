import { afterEach, expect, it, vi } from 'vitest';
import { PortalClient, serverUrl } from '../../src/react/client/portal-client.ts';
import { createIdempotency } from '../../src/react/state/idempotency.ts';
import { refusal, scriptedServer } from '../scripted-server.ts';

const TOKEN = 'portal_secret';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it.each([
  ['https://keys.example.com', 'https://keys.example.com'],
  ['https://keys.example.com/', 'https://keys.example.com'],
  ['https://keys.example.com/portal/prj_1/#portal_x', 'https://keys.example.com'],
  ['https://keys.example.com/portal/prj_1/', 'https://keys.example.com'],
  ['https://example.com/keyward/portal/prj_1/#t', 'https://example.com/keyward'],
])('takes the URL of the server or of a session: %s', (url, expected) => {
  expect(serverUrl(url)).toBe(expected);
});

it('sends the token only as a bearer token, never in the URL', async () => {
  await using server = await scriptedServer({ status: 200, body: [] });
  const client = new PortalClient(`${server.url}/portal/prj_1/#${TOKEN}`, TOKEN);
  await client.session();
  await client.keys().page();
  await client.create({ name: 'Ada' }, 'once');
  await client.rename('key_1', 'Bob');
  await client.rotate('key_1', 3600, 'twice');
  await client.revoke('key_1');
  await client.usage({ interval: 'day', from: '2030-01-01T00:00:00Z', timezone: 'UTC' });
  await client.limits();
  expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /portal/session',
    'GET /portal/api-keys?limit=100',
    'POST /portal/api-keys',
    'PATCH /portal/api-keys/key_1',
    'POST /portal/api-keys/key_1/rotate',
    'DELETE /portal/api-keys/key_1',
    'GET /portal/usage?interval=day&from=2030-01-01T00%3A00%3A00Z&timezone=UTC',
    'GET /portal/limits',
  ]);
  for (const { headers } of server.seen) {
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(headers).not.toHaveProperty('x-api-key');
    expect(headers).not.toHaveProperty('referer');
    expect(headers).not.toHaveProperty('cookie');
  }
  expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual([
    undefined,
    undefined,
    'once',
    undefined,
    'twice',
    undefined,
    undefined,
    undefined,
  ]);
});

it('reads the keys page by page', async () => {
  const link = '</portal/api-keys?limit=100&cursor=a%2Fb>; rel="next"';
  await using server = await scriptedServer(
    { status: 200, body: [{ id: 'key_1' }], headers: { link } },
    { status: 200, body: [{ id: 'key_2' }] },
  );
  const keys = await new PortalClient(server.url, TOKEN).keys().toArray();
  expect(keys).toEqual([{ id: 'key_1' }, { id: 'key_2' }]);
  expect(server.seen[1]?.path).toBe('/portal/api-keys?limit=100&cursor=a%2Fb');
});

it.each([
  ['', '/portal/session'],
  ['/keyward', '/keyward/portal/session'],
  ['/keyward/portal/prj_1/#t', '/keyward/portal/session'],
])('resolves a URL without a host against the page: %j', async (url, path) => {
  await using server = await scriptedServer({ status: 200, body: {} });
  vi.stubGlobal('location', { href: `${server.url}/account/keys?tab=1#top` });
  await new PortalClient(url, TOKEN).session();
  expect(server.seen[0]?.path).toBe(path);
});

it('reports an invalid URL when it is called, not when it is created', async () => {
  const client = new PortalClient('https://user:secret@keys.example.com', TOKEN);
  await expect(client.session()).rejects.toThrow('`url` must be an http or https address');
});

it('ends a call to a server that does not respond', async () => {
  const { timeout } = AbortSignal;
  const timeouts = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50));
  await using server = await scriptedServer('silence');
  const client = new PortalClient(server.url, TOKEN);
  await expect(client.rename('key_1', 'Bob')).rejects.toMatchObject({ code: 'timeout' });
  expect(timeouts.mock.calls.flat()).toEqual([expect.toSatisfy((ms) => ms > 0 && ms <= 15_000)]);
  expect(server.seen).toHaveLength(1);
});

it('sends a creation whose response was lost again with the same idempotency key', async () => {
  await using server = await scriptedServer('cut', { status: 201, body: { id: 'key_1' } });
  const client = new PortalClient(server.url, TOKEN);
  expect(await client.create({ name: 'Ada' }, 'once')).toEqual({ id: 'key_1' });
  expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['once', 'once']);
});

it('rejects with the code, status and waiting time of the server', async () => {
  await using server = await scriptedServer(
    refusal(401, 'credential_invalid'),
    refusal(429, 'management_rate_limited', { 'retry-after': '60' }),
    { status: 200, text: '<html>a proxy</html>' },
    'cut',
  );
  const client = new PortalClient(server.url, TOKEN);
  await expect(client.session()).rejects.toMatchObject({ statusCode: 401 });
  await expect(client.session()).rejects.toMatchObject({ retryAfterSeconds: 60 });
  await expect(client.session()).rejects.toMatchObject({ code: 'unexpected_response' });
  await expect(client.session()).rejects.toMatchObject({ code: 'unreachable', statusCode: null });
});

it('does not follow a redirect, which would take the token along', async () => {
  await using other = await scriptedServer({ status: 200, body: {} });
  await using server = await scriptedServer({ status: 307, headers: { location: other.url } });
  await expect(new PortalClient(server.url, TOKEN).session()).rejects.toThrow();
  expect(other.seen).toEqual([]);
});

it('keeps the idempotency key while the same request is repeated, until it succeeds', () => {
  const { keyOf, forget } = createIdempotency();
  const first = keyOf({ name: 'Ada' });
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(keyOf({ name: 'Ada' })).toBe(first);
  forget();
  expect(keyOf({ name: 'Ada' })).not.toBe(first);
  expect(keyOf({ name: 'Bob' })).not.toBe(first);
});
