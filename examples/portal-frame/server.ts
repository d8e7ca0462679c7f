import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Keyward } from 'keyward';

const keyward = new Keyward({
  url: process.env.KEYWARD_URL ?? 'http://127.0.0.1:8080',
  accessKey: process.env.KEYWARD_ACCESS_KEY,
});

const server = createServer(async (request, response) => {
  if (request.method === 'POST' && request.url === '/portal-session') {
    // Use the customer who is signed in to your application.
    const { url } = await keyward.portalSessions.create({ customAccountId: 'acme' });
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ url }));
  } else {
    const page = await readFile(new URL('index.html', import.meta.url));
    response.setHeader('content-type', 'text/html').end(page);
  }
});

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log('listening', server.address());
});
