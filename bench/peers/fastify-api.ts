import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import fastify, { type FastifyPluginAsync } from 'fastify';
import { protect } from 'keyward/fastify';
import { LocalKeyward } from 'keyward/local';
import { ACCESS_KEY } from '../keyward-server.ts';

/**
 * Somebody's API on Fastify: one route twice, under `/open` for everybody and under `/protected`
 * for keys that the process validates itself. Argument: the address of Keyward. Prints its port, and
 * answers each line with the microseconds of CPU that it has used.
 */
const [url = ''] = process.argv.slice(2);

/** As small as routes commonly are: a parameter in, an object out that the schema serialises. */
const ORDER = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    total: { type: 'string' },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: { article: { type: 'string' }, count: { type: 'integer' } },
      },
    },
  },
};

const orders: FastifyPluginAsync = async (scope) => {
  scope.get<{ Params: { id: string } }>(
    '/orders/:id',
    { schema: { response: { 200: ORDER } } },
    ({ params: { id } }) => ({
      id,
      total: '12.50',
      lines: [
        { article: 'A-1', count: 2 },
        { article: 'B-7', count: 1 },
      ],
    }),
  );
};

const keyward = new LocalKeyward({ url, accessKey: ACCESS_KEY, onUnavailable: 'deny' });
const app = fastify();
await app.register(orders, { prefix: '/open' });
await app.register(
  async (scope) => {
    await scope.register(protect(keyward));
    await scope.register(orders);
  },
  { prefix: '/protected' },
);
await app.listen({ port: 0, host: '127.0.0.1' });
const say = (figures: object): boolean => process.stdout.write(`${JSON.stringify(figures)}\n`);
say({ port: (app.server.address() as AddressInfo).port });

for await (const _ of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage();
  say({ cpuMicros: user + system });
}
process.exit(0);
