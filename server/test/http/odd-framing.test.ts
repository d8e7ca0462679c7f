import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../harness/raw-http.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const head = (line: string, ...headers: string[]): string =>
  `${[line, 'Host: x', `x-api-key: ${test.accessKey}`, ...headers].join('\r\n')}\r\n\r\n`;

describe('HTTP/1.0 with Transfer-Encoding', () => {
  it.each(['POST /api-keys', 'POST /api-keys/auth', 'POST /api-keys/auth/a', 'GET /healthz'])(
    'is rejected and closes the connection: %s',
    async (line) => {
      const json = 'Content-Type: application/json';
      const framing = ['Transfer-Encoding: chunked', 'Connection: keep-alive'];
      const request = head(`${line} HTTP/1.0`, json, ...framing);
      const responses = await sendRaw(test.url, `${request}2\r\n{}\r\n0\r\n\r\n`);
      expect(responses).toHaveLength(1);
      expect(responses[0]!.status).toBe(400);
      expect(JSON.parse(responses[0]!.text)).toMatchObject({
        code: 'invalid_header',
        message: expect.stringContaining('HTTP/1.0 has no transfer-encoding'),
      });
    },
  );
});

describe('an unexpected error in a handler', () => {
  it.each([
    ['read from the socket', ''],
    ['behind another request', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('closes the connection and is logged: %s', async (_where, before) => {
    const { validations } = test.app;
    const original = validations.handle;
    const failures = () => test.log.filter((line) => line.includes('a request failed')).length;
    const failuresBefore = failures();
    validations.handle = () => {
      throw new Error('a defect');
    };
    try {
      const responses = await sendRaw(test.url, before + head('POST /api-keys/auth/a HTTP/1.1'));
      expect(responses).toHaveLength(before === '' ? 0 : 1);
    } finally {
      validations.handle = original;
    }
    expect(failures()).toBe(failuresBefore + 1);
    expect((await test.client.get('/projects')).status).toBe(200);
  });
});

it('an invalid request after one being answered does not cut off its response', async () => {
  for (let n = 0; n < 20; n++) await test.client.post('/api-keys', { name: `Key ${n}` });
  const responses = await sendRaw(
    test.url,
    `${head('GET /api-keys HTTP/1.1')}no request at all\r\n\r\n`,
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 400]);
  expect(JSON.parse(responses[0]!.text)).toHaveLength(20);
});
