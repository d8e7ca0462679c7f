import { createServer } from 'node:http';
import { Keyward } from 'keyward';
import { protect } from 'keyward/node';

const keyward = new Keyward({
  url: process.env.KEYWARD_URL ?? 'http://127.0.0.1:8080',
  accessKey: process.env.KEYWARD_ACCESS_KEY,
  onUnavailable: 'deny',
});

const hello = protect(keyward)((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ hello: request.keyward.record?.name }));
});
const documents = protect(keyward, { permissions: 'documents.read' })((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ documents: [] }));
});

const server = createServer((request, response) =>
  (request.url === '/documents' ? documents : hello)(request, response),
);
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log('listening', server.address());
});
