import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Upstream, UpstreamUnavailable } from './upstream.ts';

/** Counts nothing. */
const PROBE = '/changes?maxSeconds=0';

/** An upstream whose server responds as `respond` says; `received` are the paths of its requests. */
async function start(
  respond: (path: string, response: ServerResponse) => void,
  timeoutMs = 240_000,
) {
  const received: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    received.push(url);
    respond(url, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream = new Upstream(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    timeoutMs,
    'live_access_x',
  );
  onTestFinished(async () => {
    upstream.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const get = (path: string) => upstream.send({ method: 'GET', path, headers: {} });
  return { get, received };
}

const FAILURES = ['/1', '/2', '/3', '/4', '/5'];

it.each([500, 503])('a response with status %i fails only its own request', async (status) => {
  const { get } = await start((path, response) => {
    response.writeHead(path === '/other' ? 200 : status).end();
  });
  for (const path of FAILURES) await expect(get(path)).rejects.toThrow(UpstreamUnavailable);
  expect((await get('/other')).status).toBe(200);
});

it.each([502, 504])('after five %i of a proxy, further requests are not sent', async (status) => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const { get, received } = await start((_, response) => {
    response.writeHead(status).end();
  });
  for (const path of [...FAILURES, '/6'])
    await expect(get(path)).rejects.toThrow(UpstreamUnavailable);
  expect(received).toEqual(FAILURES);
});

it('a request without a response fails after the timeout, and further ones at once', async () => {
  const { get, received } = await start(() => {}, 50);
  // On a slow machine the timeout may pass before the request arrives.
  await expect(get('/silent')).rejects.toThrow(UpstreamUnavailable);
  await expect(get('/early')).rejects.toThrow('did not respond to earlier requests');
  expect(received).not.toContain('/early');
});

it('asks a server that is down whether it responds again, without sending a request of a caller', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const held = Promise.withResolvers<ServerResponse>();
  const { get, received } = await start((path, response) => {
    if (FAILURES.includes(path)) response.destroy();
    else if (path === PROBE) held.resolve(response);
    else response.end();
  });
  for (const path of FAILURES) await expect(get(path)).rejects.toThrow(UpstreamUnavailable);
  await expect(get('/early')).rejects.toThrow(UpstreamUnavailable);
  clock.mockReturnValue(1_000);
  for (const path of ['/beside', '/beside too'])
    await expect(get(path)).rejects.toThrow(UpstreamUnavailable);
  (await held.promise).end();
  await expect.poll(async () => (await get('/after').catch(() => null))?.status).toBe(200);
  expect(received).toEqual([...FAILURES, PROBE, '/after']);
});
