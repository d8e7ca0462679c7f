import { Hono } from 'hono';
import { Keyward } from 'keyward';
import { protect } from 'keyward/hono';

const keyward = new Keyward({
  url: process.env.KEYWARD_URL ?? 'http://127.0.0.1:8080',
  accessKey: process.env.KEYWARD_ACCESS_KEY,
  onUnavailable: 'deny',
});

export const app = new Hono();
app.get('/hello', protect(keyward), (c) => c.json({ hello: c.get('keyward').record?.name }));
app.get('/documents', protect(keyward, { permissions: 'documents.read' }), (c) =>
  c.json({ documents: [] }),
);
