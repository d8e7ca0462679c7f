import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { startTestApp } from '../../server/test/harness/test-app.ts';
import { Keyward, verifyWebhook, type WebhookEvent } from '../src/index.ts';

const NOW = Date.UTC(2030, 0, 1);
const secretOf = () => `whsec_${randomBytes(24).toString('base64')}`;
const SECRET = secretOf();
const BODY = JSON.stringify({ id: 'evt_1', type: 'project.updated', data: { name: 'Zoë' } });

/** Signed by an independent implementation of the standard. */
function signed(body: string, secret = SECRET, at = NOW) {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', new Date(at), body),
  };
}
const check = (headers: Record<string, string>, body = BODY, secret: string | string[] = SECRET) =>
  verifyWebhook({ body, headers, secret, now: NOW });

it('accepts a signed body as text or bytes, with headers of every form', async () => {
  const headers = signed(BODY);
  const bytes = new TextEncoder().encode(BODY);
  expect(await check(headers)).toEqual(JSON.parse(BODY));
  for (const body of [bytes, bytes.buffer, Buffer.from(`x${BODY}`).subarray(1)]) {
    const event = await verifyWebhook({
      body,
      headers: new Headers(headers),
      secret: SECRET,
      now: NOW,
    });
    expect(event).toEqual(JSON.parse(BODY));
  }
  const upperCase = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
  );
  const event = await verifyWebhook({ body: BODY, headers: upperCase, secret: SECRET, now: NOW });
  expect(event.type).toBe('project.updated');
});

it('accepts one signature of several, and one secret of several', async () => {
  const other = secretOf();
  const both = `${signed(BODY, other)['webhook-signature']} v1a,zzzz ${signed(BODY)['webhook-signature']}`;
  await check({ ...signed(BODY), 'webhook-signature': both });
  await check(signed(BODY), BODY, [other, SECRET]);
});

it.each([
  ['headers_missing', { 'webhook-id': 'evt_1' }],
  ['timestamp_invalid', { ...signed(BODY), 'webhook-timestamp': '1e9' }],
  ['timestamp_too_old', signed(BODY, SECRET, NOW - 301_000)],
  ['timestamp_too_new', signed(BODY, SECRET, NOW + 301_000)],
  ['signature_invalid', signed(BODY, secretOf())],
  ['signature_invalid', { ...signed(BODY), 'webhook-id': 'evt_2' }],
  ['signature_invalid', { ...signed(BODY), 'webhook-signature': 'v1,%%% v1, v2,AAAA' }],
  ['signature_invalid', signed(`${BODY} `)],
])('rejects with %s', async (code, headers) => {
  await expect(check(headers as Record<string, string>)).rejects.toMatchObject({ code });
});

it('rejects a signed body that is not JSON, and an invalid secret', async () => {
  await expect(check(signed('no'), 'no')).rejects.toMatchObject({ code: 'body_invalid' });
  await expect(check(signed(BODY), BODY, 'whsec_')).rejects.toThrow(TypeError);
});

it('rejects every body except the signed one', async () => {
  const headers = signed(BODY);
  const position = fc.integer({ min: 0, max: BODY.length - 1 });
  await fc.assert(
    fc.asyncProperty(position, fc.string({ minLength: 1, maxLength: 3 }), async (at, text) => {
      const body = BODY.slice(0, at) + text + BODY.slice(at + 1);
      fc.pre(body !== BODY);
      await expect(check(headers, body)).rejects.toMatchObject({ code: 'signature_invalid' });
    }),
  );
});

it('verifies a delivery of the server', async () => {
  const app = await startTestApp({ realClock: true, webhookAllow: ['127.0.0.1/32'] });
  const keyward = new Keyward(app.sdkOptions);
  let secret = '';
  const received = Promise.withResolvers<WebhookEvent>();
  const receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    verifyWebhook({ body, headers: request.headers, secret }).then(
      received.resolve,
      received.reject,
    );
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const hook = await keyward.webhooks.create({ name: 'h', url, topics: ['api-key.created'] });
    secret = hook.secret;
    const made = await keyward.apiKeys.create({ name: 'Ada' });
    const event = await received.promise;
    expect(event.type === 'api-key.created' && event.data.key).toBe(made.key);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
    await app.close();
  }
});
