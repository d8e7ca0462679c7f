import express from 'express';
import { Keyward } from 'keyward';
import { protect } from 'keyward/express';

const keyward = new Keyward({
  url: process.env.KEYWARD_URL ?? 'http://127.0.0.1:8080',
  accessKey: process.env.KEYWARD_ACCESS_KEY,
  onUnavailable: 'deny',
});

const app = express();
app.get('/hello', protect(keyward), (request, response) => {
  response.json({ hello: request.keyward?.record?.name });
});
app.get('/documents', protect(keyward, { permissions: 'documents.read' }), (_request, response) => {
  response.json({ documents: [] });
});

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log('listening', server.address());
});
