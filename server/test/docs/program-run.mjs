import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { Keyward, KeywardError } from 'keyward';
import { protect as protectExpress } from 'keyward/express';
import { protect as protectFastify } from 'keyward/fastify';
import { Webhook } from 'standardwebhooks';
import '../harness/long-calls.mjs';

/**
 * Runs programs of the documentation: `node program-run.mjs [[NAME, FILE], …]`. What a program uses but does not
 * define is global here, and what it defines but does not use is used at the end.
 */
const programs = JSON.parse(process.argv[2]);
const { KEYWARD_URL: url, KEYWARD_ACCESS_KEY: accessKey, KEY: value, KEY_ID: id } = process.env;
const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
process.env.KEYWARD_WEBHOOK_SECRET = secret;
const rawBody = JSON.stringify({ type: 'api-key.deleted', data: { id } });
const now = new Date();
const headers = {
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign('msg_1', now, rawBody),
};
const forgotten = [];
const respond = (_request, response) => response.send('ok');
Object.assign(globalThis, {
  url,
  accessKey,
  value,
  other: value,
  id,
  keyward: new Keyward({ url, accessKey, onUnavailable: 'deny' }),
  KeywardError,
  getConnInfo: () => ({ remote: { address: '127.0.0.1' } }),
  logger: console,
  listDocuments: respond,
  addDocument: respond,
  search: respond,
  cursor: undefined,
  askForAnotherValue() {},
  session: { url, token: 'token' },
  token: 'token',
  openAgain() {},
  secret,
  rawBody,
  headers,
  forget: (each) => forgotten.push(each),
  oldValidate: async (each) => ({
    name: `Old ${each}`,
    userId: 'ada',
    createdAt: '2020-01-01T00:00:00Z',
  }),
});

async function run(file) {
  const code = readFileSync(file, 'utf8');
  const isFastify = code.includes('app.register(');
  const isHono = code.includes("'keyward/hono'");
  const app = isFastify ? fastify() : isHono ? new Hono() : express();
  Object.assign(globalThis, { app, protect: isFastify ? protectFastify : protectExpress });
  const program = await import(pathToFileURL(file).href);
  if (program.POST) await usePost(program.POST);
  if (program.validate) {
    const result = await program.validate('a-value-of-the-old-service');
    assert.equal(result.valid, true);
    assert.equal(result.record.customUserId, 'ada');
  }
  if (isHono) await useHono(app);
  else if (code.includes('app.use(')) await useApp(app);
}

async function usePost(POST) {
  const post = (body) => POST(new Request(url, { method: 'POST', body, headers }));
  assert.equal((await post(rawBody)).status, 200);
  assert.deepEqual(forgotten, [id]);
  await assert.rejects(post(`${rawBody} `));
}

async function useHono(app) {
  assert.equal((await app.request('/hello')).status, 401);
  const response = await app.request('/hello', { headers: { 'x-api-key': value } });
  assert.equal(await response.text(), 'Hello, First!');
}

async function useApp(app) {
  app.get('/', respond);
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = `http://127.0.0.1:${server.address().port}/`;
  assert.equal((await fetch(address)).status, 401);
  assert.equal((await fetch(address, { headers: { 'x-api-key': value } })).status, 200);
}

assert.ok(existsSync(fileURLToPath(import.meta.resolve('keyward/react.css'))));
for (const [name, file] of programs)
  await run(file).catch((error) => {
    process.exitCode = 1;
    console.error(`${name}: ${error.stack}`);
  });
// Programs that validate locally keep a connection open.
process.exit();
