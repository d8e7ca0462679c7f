import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { drain } from './drain.ts';

it('ends when the last response is sent, without closing a busy connection', async () => {
  let pending: ServerResponse | undefined;
  const server = createServer((_request, response) => {
    pending = response;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let cuts = 0;
  server.closeAllConnections = () => {
    cuts++;
  };
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(server, 'request');
  let isDrained = false;
  const drained = drain(server, 480_000).then(() => {
    isDrained = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isDrained).toBe(false);
  // The response allows keep-alive, and the client keeps its side open.
  pending!.end('the response');
  const [response] = await once(client, 'data');
  expect(String(response)).toContain('the response');
  await drained;
  expect(cuts).toBe(0);
  client.destroy();
});
