import { once } from 'node:events';
import { connect } from 'node:net';
import Fastify from 'fastify';
import Type from 'typebox';
import { expect, it, onTestFinished } from 'vitest';
import type { Principal } from '../../kernel/authority.ts';
import { FairQueue } from '../../kernel/fair-queue.ts';
import { currentRequest, type RequestContext } from '../../kernel/request-context.ts';
import { ResponseBudget } from '../../kernel/response-budget.ts';
import { defineRoute, type Route } from '../../kernel/route.ts';
import { mountRoute } from './mount-route.ts';
import { compileSchema } from './schema-check.ts';

const route = (
  path: string,
  handle: Route['handle'],
  more: Partial<Pick<Route, 'list' | 'method'>> = {},
) =>
  defineRoute({
    ...{ method: 'GET', operationId: 'test', tag: 'test', summary: 'Test', access: 'public' },
    ...{ reply: Type.Object({}), status: 200, path, handle, ...more },
  });

const PRINCIPAL: Principal = {
  ...{ kind: 'access-key', id: 'access_1', accountId: 'acc_1', projectIds: null },
  scopes: new Set(),
};

async function listen(...routes: Route[]): Promise<number> {
  const server = Fastify();
  onTestFinished(() => server.close());
  server.setValidatorCompiler(compileSchema);
  server.decorateRequest('principal', null);
  server.addHook('onRequest', async (request) => {
    request.principal = PRINCIPAL;
  });
  const gate = { passAgain: async () => {} } as never;
  const parts = {
    ...{ gate, idempotentCalls: {} as never, responses: new ResponseBudget() },
    listTurns: new FairQueue({ perCaller: 1, total: 1 }),
  };
  for (const each of routes) mountRoute(server, each, parts);
  await server.listen({ port: 0, host: '127.0.0.1' });
  return server.addresses()[0]!.port;
}

it('is the same in the handler, in what it starts, and on every page of a streamed list', async () => {
  const seen: (RequestContext | undefined)[] = [];
  const ages: unknown[] = [];
  const note = () => {
    const context = currentRequest();
    seen.push(context);
    ages.push(context?.pageSince);
    if (context?.pageSince !== undefined) context.pageSince = 1;
  };
  async function* slices() {
    for (let n = 0; n < 3; n++) {
      note();
      // Larger than the buffers, so that the stream asks for the next page when the client has read this one.
      yield { length: 1, item: () => ({ text: 'x'.repeat(4 << 20) }), cursorAfter: () => '' };
    }
  }
  const listed = Promise.withResolvers<void>();
  const listRoute = route(
    '/list',
    async () => {
      note();
      setImmediate(listed.resolve);
      return { limit: undefined, slices: slices() };
    },
    { list: true },
  );
  // Its response comes first on the connection, and lets the list continue.
  const earlier = route('/earlier', async () => {
    await listed.promise;
    return {};
  });
  const socket = connect(await listen(earlier, listRoute), '127.0.0.1');
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n`;
  socket.write(`${get('/earlier')}\r\n${get('/list')}connection: close\r\n\r\n`);
  socket.resume();
  await once(socket, 'close');
  expect(seen).toHaveLength(4);
  expect(new Set(seen).size).toBe(1);
  expect(seen[0]).toMatchObject({ reader: 'acc_1' });
  // The first page shares the deadline of the handler; each further page has its own.
  expect(ages).toEqual(['no read yet', 1, 'no read yet', 'no read yet']);
  expect(currentRequest()).toBeUndefined();
});

it('has a signal that is aborted when the client disconnects, and not after a complete response', async () => {
  const contexts: RequestContext[] = [];
  const waiting = Promise.withResolvers<object>();
  const arrived = Promise.withResolvers<void>();
  const port = await listen(
    route('/quick', async () => {
      contexts.push(currentRequest()!);
      return {};
    }),
    route('/slow', () => {
      contexts.push(currentRequest()!);
      arrived.resolve();
      return waiting.promise;
    }),
  );
  await (await fetch(`http://127.0.0.1:${port}/quick`)).text();
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
  await arrived.promise;
  const [quick, slow] = contexts;
  expect(slow!.signal.aborted).toBe(false);
  const aborted = once(slow!.signal, 'abort');
  socket.destroy();
  await aborted;
  expect(quick!.signal.aborted).toBe(false);
  waiting.resolve({});
});
