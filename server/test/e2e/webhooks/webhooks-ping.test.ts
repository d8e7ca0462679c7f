import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { type Receiver, startReceiver } from '../../webhooks/receiver.ts';
import { createOtherAccount } from '../other-account.ts';

let test: TestApp;
let closed: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  test = await startTestApp({ webhookAllow: ['127.0.0.0/8'] });
  closed = await startTestApp();
  receiver = await startReceiver();
});
afterAll(() => Promise.all([test.close(), closed.close(), receiver.close()]));

const ping = (body: object) => test.client.post('/webhooks/ping', body);

describe('a ping', () => {
  it('sends an unsigned test message that is not an event, and returns the response', async () => {
    const response = await ping({ url: `${receiver.url}/ok` });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      success: true,
      statusCode: 200,
      durationMs: expect.any(Number),
      responseBody: '',
      error: null,
    });
    const got = receiver.received.at(-1)!;
    expect(got.method).toBe('POST');
    expect(JSON.parse(got.body)).toEqual({
      type: 'ping',
      timestamp: new Date(test.clock.now).toISOString(),
      data: {},
    });
    expect(Object.keys(got.headers).filter((name) => name.startsWith('webhook-'))).toEqual([]);
    expect(got.headers['user-agent']).toMatch(/^Keyward\/\d/);
  });

  it.each(['customHeaders', 'headers'])('sends a custom body and %s', async (field) => {
    const body = { hello: ['world'] };
    await ping({
      url: `${receiver.url}/ok`,
      httpMethod: 'PUT',
      body,
      [field]: { 'X-Tenant': 'acme' },
    });
    const got = receiver.received.at(-1)!;
    expect(got).toMatchObject({ method: 'PUT', body: JSON.stringify(body) });
    expect(got.headers).toMatchObject({ 'x-tenant': 'acme', 'content-type': 'application/json' });
  });

  it('reports a failing endpoint in a 200 response', async () => {
    const failing = await ping({ url: `${receiver.url}/error` });
    expect(failing.status).toBe(200);
    expect(failing.body).toMatchObject({
      success: false,
      statusCode: 500,
      responseBody: 'it broke',
    });
    const reset = await ping({ url: `${receiver.url}/reset` });
    expect([reset.status, reset.body]).toMatchObject([200, { success: false, statusCode: null }]);
    expect(reset.body.error).toEqual(expect.any(String));
  });

  it.each<[string, object, string]>([
    ['a private address', { url: 'https://10.0.0.1/' }, 'url must have a public address'],
    ['no URL', {}, 'url is missing.'],
    [
      'both kinds of headers',
      { url: 'https://example.com', headers: {}, customHeaders: {} },
      'not both',
    ],
    [
      'a reserved header',
      { url: 'https://example.com', headers: { Host: 'x' } },
      'cannot set Host',
    ],
  ])('with %s is a 400', async (_, body, message) => {
    const response = await ping(body);
    expect([response.status, response.body.code]).toEqual([400, 'invalid_body']);
    expect(response.body.message).toContain(message);
  });

  it('reveals nothing about internal addresses', async () => {
    const { port } = new URL(receiver.url);
    const before = receiver.received.length;
    const responses = [];
    for (const target of [`127.0.0.1:${port}`, '127.0.0.1:1'])
      for (const scheme of ['http', 'https']) {
        const { status, body } = await closed.client.post('/webhooks/ping', {
          url: `${scheme}://${target}/`,
        });
        responses.push([status, body.message]);
      }
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(responses[0]![0]).toBe(400);
    expect(receiver.received).toHaveLength(before);
  });
});

describe('a ping with masked headers', () => {
  const secretHeader = { authorization: 'Bearer of-the-receiver' };
  const newHook = async () => {
    const url = `${receiver.url}/ok?hook`;
    const hook = { name: 'Hook', url, topics: ['project.updated'], customHeaders: secretHeader };
    return (await test.client.post('/webhooks', hook)).body;
  };

  it('sends the values of the webhook to its own URL only', async () => {
    const { id: webhookId, url, customHeaders } = await newHook();
    expect((await ping({ url, customHeaders, webhookId })).body.success).toBe(true);
    expect(receiver.received.at(-1)!.headers).toMatchObject(secretHeader);
    const before = receiver.received.length;
    for (const body of [
      { url: `${receiver.url}/elsewhere`, customHeaders, webhookId },
      { url, customHeaders },
    ]) {
      const { status, body: response } = await ping(body);
      expect([status, response.code]).toEqual([400, 'invalid_body']);
      expect(response.message).toContain('Send the value itself');
    }
    expect(receiver.received).toHaveLength(before);
  });

  it('does not show them if the endpoint echoes them', async () => {
    const url = `${receiver.url}/echo`;
    const hook = { name: 'Echo', url, topics: ['project.updated'], customHeaders: secretHeader };
    const { id: webhookId, customHeaders } = (await test.client.post('/webhooks', hook)).body;
    const { body } = await ping({ url, customHeaders, webhookId });
    expect(body.responseBody).toContain('content-type');
    expect(body.responseBody).not.toContain('of-the-receiver');
  });

  it('of a webhook that is not the caller’s is a 404', async () => {
    const { id: webhookId, url } = await newHook();
    const other = await createOtherAccount(test);
    const { status, body } = await other.client.post('/webhooks/ping', { url, webhookId });
    expect([status, body.code]).toEqual([404, 'webhook_not_found']);
  });
});

describe('the pings of one account', () => {
  it('are limited to four at a time', async () => {
    const mine = await createOtherAccount(test);
    const theirs = await createOtherAccount(test);
    const url = `${receiver.url}/hang/${mine.accountId}`;
    const arrived = () => receiver.received.filter(({ path }) => path.endsWith(mine.accountId));
    const pings = Array.from({ length: 4 }, () => mine.client.post('/webhooks/ping', { url }));
    await receiver.until(() => arrived().length === 4);
    const refused = await mine.client.post('/webhooks/ping', { url: `${receiver.url}/ok` });
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_pings']);
    expect(refused.headers.get('retry-after')).toBe('1');
    const other = await theirs.client.post('/webhooks/ping', { url: `${receiver.url}/ok` });
    expect(other.body.success).toBe(true);
    receiver.release(`/hang/${mine.accountId}`);
    for (const { body } of await Promise.all(pings)) expect(body.success).toBe(true);
    const after = await mine.client.post('/webhooks/ping', { url: `${receiver.url}/ok` });
    expect(after.body.success).toBe(true);
  });

  it('are limited to sixty a minute', async () => {
    const mine = await createOtherAccount(test);
    const one = () => mine.client.post('/webhooks/ping', { url: `${receiver.url}/ok` });
    for (let n = 0; n < 60; n++) expect((await one()).status).toBe(200);
    test.clock.now += 20_000;
    const refused = await one();
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_pings']);
    expect(refused.headers.get('retry-after')).toBe('40');
    test.clock.now += 40_000;
    expect((await one()).status).toBe(200);
  });
});
