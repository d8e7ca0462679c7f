import { fastify } from 'fastify';
import { Keyward } from 'keyward';
import { protect } from 'keyward/fastify';

const keyward = new Keyward({
  url: process.env.KEYWARD_URL ?? 'http://127.0.0.1:8080',
  accessKey: process.env.KEYWARD_ACCESS_KEY,
  onUnavailable: 'deny',
});

const app = fastify();
await app.register(
  protect(keyward, { permissions: (request) => request.routeOptions.config.permissions }),
);
app.get('/hello', (request) => ({ hello: request.keyward.record?.name }));
app.get('/documents', { config: { permissions: 'documents.read' } }, () => ({ documents: [] }));

await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
console.log('listening', app.server.address());
