import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Upstream, UpstreamUnavailable } from './upstream.ts';

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
  );
  onTestFinished(async () => {
    upstream.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const get = (path: string) => upstream.send({ method: 'GET', path, headers: {} });
  return { get, received };
}

it.each([500, 503])('a response with status %i fails only its own request', async (status) => {
  const { get } = await start((path, response) => {
    response.writeHead(path === '/refused' ? status : 200).end();
  });
  await expect(get('/refused')).rejects.toThrow(UpstreamUnavailable);
  expect((await get('/other')).status).toBe(200);
});

it.each([502, 504])('after a %i of a proxy, further requests are not sent', async (status) => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const { get, received } = await start((_, response) => {
    response.writeHead(status).end();
  });
  await expect(get('/first')).rejects.toThrow(UpstreamUnavailable);
  await expect(get('/second')).rejects.toThrow(UpstreamUnavailable);
  expect(received).toEqual(['/first']);
});

it('a request without a response fails after the timeout', async () => {
  const { get } = await start(() => {}, 50);
  await expect(get('/')).rejects.toThrow(UpstreamUnavailable);
});

it('sends one request at a time to a server that is down, until it responds', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const held = Promise.withResolvers<ServerResponse>();
  const { get, received } = await start((path, response) => {
    if (path === '/lost') response.destroy();
    else if (path === '/probe') held.resolve(response);
    else response.end();
  });
  await expect(get('/lost')).rejects.toThrow(UpstreamUnavailable);
  await expect(get('/early')).rejects.toThrow(UpstreamUnavailable);
  clock.mockReturnValue(1_000);
  const probe = get('/probe');
  await expect(get('/beside')).rejects.toThrow(UpstreamUnavailable);
  (await held.promise).end();
  expect((await probe).status).toBe(200);
  expect((await get('/after')).status).toBe(200);
  expect(received).toEqual(['/lost', '/probe', '/after']);
});

it('ignores the failure of a request that was sent before the server was found to be up again', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const held = Promise.withResolvers<ServerResponse>();
  const { get } = await start((path, response) => {
    if (path === '/slow') held.resolve(response);
    else if (path === '/lost') response.destroy();
    else response.end();
  });
  const slow = get('/slow');
  const connection = await held.promise;
  clock.mockReturnValue(1);
  await expect(get('/lost')).rejects.toThrow(UpstreamUnavailable);
  clock.mockReturnValue(2_000);
  expect((await get('/probe')).status).toBe(200);
  connection.destroy();
  await expect(slow).rejects.toThrow(UpstreamUnavailable);
  expect((await get('/after')).status).toBe(200);
});
