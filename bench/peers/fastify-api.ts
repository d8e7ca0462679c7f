import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { protect } from 'keyward/fastify';
import { LocalKeyward } from 'keyward/local';
import { ACCESS_KEY } from '../keyward-server.ts';

/** Somebody's API on Fastify, `open` or `protected` by keys that the process validates itself. Prints its port. */
const [kind, url = ''] = process.argv.slice(2);
const app = fastify();
if (kind === 'protected')
  await app.register(
    protect(new LocalKeyward({ url, accessKey: ACCESS_KEY, onUnavailable: 'deny' })),
  );
app.post('/*', () => ({ orders: [{ id: 1, total: '12.50' }], next: null }));
await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`);
process.once('SIGTERM', () => process.exit(0));
