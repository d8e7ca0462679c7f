import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeRoutes } from '../../src/app/routes.ts';
import { type RawHttpResponse, sendRaw } from '../harness/raw-http.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let test: TestApp;
let apiKey: string;
beforeAll(async () => {
  test = await startTestApp();
  apiKey = (await test.client.post('/api-keys', { name: 'Known' })).body.key;
});
afterAll(() => test.close());

/** No input may affect other requests or cause a logged error. */
afterEach(async () => {
  expect((await test.client.get('/healthz')).status).toBe(200);
  expect((await test.client.post(`/api-keys/auth/${apiKey}`)).status).toBe(200);
  const inputErrors = test.log.slice(linesChecked).filter(isInputError);
  linesChecked = test.log.length;
  expect(inputErrors).toEqual([]);
});

/** Number of log lines that earlier tests have checked. */
let linesChecked = 0;

/** Whether a log line is an error caused by input; a storage timeout on a busy machine is not. */
function isInputError(line: string): boolean {
  const { level, err } = JSON.parse(line) as { level: number; err?: { type: string } };
  return level >= 50 && !['StorageUnavailable', 'ConnectionLost'].includes(err?.type ?? '');
}

interface Request {
  /** Of a portal session, instead of the access key. */
  readonly token?: string;
  readonly method?: string;
  readonly path?: string;
  /** Complete header lines. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  readonly host?: boolean;
}

const head = ({ method = 'POST', path = '/api-keys', headers = [], host = true, token }: Request) =>
  [
    `${method} ${path} HTTP/1.1`,
    ...(host ? ['Host: keyward.test'] : []),
    token === undefined ? `x-api-key: ${test.accessKey}` : `authorization: Bearer ${token}`,
    ...headers,
    'Connection: close',
    '',
    '',
  ].join('\r\n');

async function send(request: Request): Promise<RawHttpResponse> {
  const { body, headers = [] } = request;
  const framing =
    body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  const [response] = await sendRaw(
    test.url,
    head({ ...request, headers: [...framing, ...headers] }),
    ...(body === undefined ? [] : [body]),
  );
  return response!;
}

/** Expects the status, the code, and all six fields of an error. */
function expectRefused(response: RawHttpResponse | undefined, status: number, code: string): void {
  expect(response?.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(JSON.parse(response!.text)).toEqual({
    statusCode: status,
    message: expect.stringMatching(/./),
    error: expect.stringMatching(/./),
    code,
    // Based on the address of the server, not on the Host header of the request (keyward.test).
    docs: `https://keyward.example/docs/errors/${code}`,
    requestId: expect.stringMatching(/^req_/),
  });
  expect(response!.status).toBe(status);
  expect(response!.text).not.toMatch(/\bat .+:\d+:\d+|node_modules|\.ts\b/);
}

describe('bodies', () => {
  it.each([
    ['a field twice', '{"name":"a","name":"b"}'],
    ['a field twice, once escaped', '{"name":"a","n\\u0061me":"b"}'],
    ['a nested field twice', '{"name":"a","customMetaData":{"x":1,"x":2}}'],
    ['__proto__', '{"name":"a","__proto__":{"isActive":false}}'],
    ['a nested __proto__', '{"name":"a","customMetaData":{"__proto__":{}}}'],
    ['deeply nested arrays', '['.repeat(30_000)],
    ['deeply nested objects', `{"name":"a","customMetaData":${'{"a":'.repeat(5_000)}`],
    ['a number too large', '{"name":"a","rateLimitConfigs":{"rateLimit":1e999}}'],
    ['a lone surrogate', '{"name":"\\ud800"}'],
    ['NUL in a string', '{"name":"a\\u0000b"}'],
  ])('%s: 400 invalid_body', async (_, body) => {
    expectRefused(await send({ body }), 400, 'invalid_body');
    expect(({} as { isActive?: boolean }).isActive).toBeUndefined();
  });

  it.each([
    ['a control character', '{"name":"a\u0001b"}'],
    ['data after the end', '{"name":"a"} {}'],
    ['single quotes', "{'name':'a'}"],
    ['a trailing comma', '{"name":"a",}'],
    ['NaN', '{"name":NaN}'],
    ['an incomplete object', '{"name":'],
    ['only spaces', '   '],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['overlong UTF-8', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ])('%s: 400 invalid_json', async (_, body) => {
    expectRefused(await send({ body }), 400, 'invalid_json');
  });

  it.each(['null', '[]', '"text"', '7', 'true'])('%s: 400 invalid_body', async (body) => {
    expectRefused(await send({ body }), 400, 'invalid_body');
  });

  it('missing where one is required: 400 invalid_body', async () => {
    expectRefused(await send({}), 400, 'invalid_body');
    expectRefused(await send({ body: '' }), 400, 'invalid_body');
  });

  it('64 KB are accepted, one byte more is a 413 before all of it is sent', async () => {
    const padded = (size: number) => `{"name":"a"${' '.repeat(size - 12)}}`;
    expect((await send({ body: padded(65_536) })).status).toBe(201);
    expectRefused(await send({ body: padded(65_537) }), 413, 'body_too_large');
    const declared = await sendRaw(
      test.url,
      head({ headers: ['Content-Type: application/json', 'Content-Length: 1000000000'] }),
    );
    expectRefused(declared[0], 413, 'body_too_large');
  });

  it('in chunks are accepted, and a large one of unknown length is a 413', async () => {
    const chunked = (size: number, times: number) => [
      head({ headers: ['Content-Type: application/json', 'Transfer-Encoding: chunked'] }),
      ...Array.from({ length: times }, () => `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`),
      'c\r\n{"name":"a"}\r\n0\r\n\r\n',
    ];
    const [read] = await sendRaw(test.url, ...chunked(16, 2));
    expect(read!.status).toBe(201);
    const [refused] = await sendRaw(test.url, ...chunked(16_384, 8));
    expectRefused(refused, 413, 'body_too_large');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json; charset=utf-16',
    'nonsense',
    ';',
    '',
  ])('with content type %j: 415', async (type) => {
    const [response] = await sendRaw(
      test.url,
      head({ headers: [`Content-Type: ${type}`, 'Content-Length: 12'] }),
      '{"name":"a"}',
    );
    expectRefused(response, 415, 'unsupported_media_type');
  });

  const untyped = async (body: string) =>
    (await sendRaw(test.url, head({ headers: [`Content-Length: ${body.length}`] }), body))[0];

  it('without a content type: read as JSON if it starts like JSON, else 415', async () => {
    expect((await untyped('{"name":"a"}'))?.status).toBe(201);
    expect((await untyped(' \r\n{"name":"a"}'))?.status).toBe(201);
    expectRefused(await untyped('{"name":'), 400, 'invalid_json');
    for (const body of ['name=a', 'text', '"text"', '   '])
      expectRefused(await untyped(body), 415, 'unsupported_media_type');
  });

  it.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/merge-patch+json'])(
    'with content type %s are accepted',
    async (type) => {
      const [response] = await sendRaw(
        test.url,
        head({ headers: [`Content-Type: ${type}`, 'Content-Length: 12'] }),
        '{"name":"a"}',
      );
      expect(response!.status).toBe(201);
    },
  );

  it.each(['', '{}', ' { } '])(
    'where none is accepted, %j with a form content type is ignored',
    async (body) => {
      for (const [method, path] of [
        ['POST', `/api-keys/auth/${apiKey}`],
        ['PATCH', `/api-keys/${apiKey}/reactivate`],
        ['DELETE', '/projects/prj_none'],
      ] as const) {
        const [response] = await sendRaw(
          test.url,
          head({
            method,
            path,
            headers: [
              'Content-Type: application/x-www-form-urlencoded',
              `Content-Length: ${body.length}`,
            ],
          }),
          body,
        );
        expect(response!.status).toBe(method === 'DELETE' ? 404 : 200);
      }
    },
  );

  it('where none is accepted, any other is a 400', async () => {
    const path = `/api-keys/auth/${apiKey}`;
    expectRefused(await send({ path, body: '{"a":1}' }), 400, 'invalid_body');
    expectRefused(await send({ path, body: 'a=1' }), 400, 'invalid_body');
  });
});

describe('paths', () => {
  it.each(['/api-keys/%', '/api-keys/%zz', '/api-keys/%ff', '/customers/%c0%af'])(
    '%s: bad percent-encoding is a 400',
    async (path) => {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
        expectRefused(await send({ method, path }), 400, 'invalid_path');
    },
  );

  it.each(['%', '%zz', 'live_%ff', '%c0%af', '%zz/', '%zz?cost=1'])(
    '/api-keys/auth/%s: bad percent-encoding of a value is the 404 of an unknown key',
    async (value) => {
      for (const method of ['GET', 'POST']) {
        const response = await send({ method, path: `/api-keys/auth/${value}` });
        expectRefused(response, 404, 'key_malformed');
        expect(JSON.parse(response.text).message).toBe('Invalid client key');
      }
      const other = { path: `/api-keys/auth/${value}`, token: 'an-unknown-access-key' };
      expect((await send(other)).status).toBe(401);
    },
  );

  it.each([
    'http://evil.test/api-keys',
    'https://keyward.test/accounts',
    'http://keyward.test/api-keys/auth/x',
    '*',
  ])('%s: an absolute URL is a 400', async (path) => {
    expectRefused(await send({ method: 'GET', path }), 400, 'invalid_path');
  });

  it('an absolute URL is a 400 for a validation too', async () => {
    const path = `http://keyward.test/api-keys/auth/${apiKey}`;
    expectRefused(await send({ path }), 400, 'invalid_path');
  });

  it('a very long key is a 404 like an invalid one', async () => {
    const response = await send({ path: `/api-keys/auth/${'k'.repeat(12_000)}` });
    expectRefused(response, 404, 'key_malformed');
    expect(JSON.parse(response.text).message).toBe('Invalid client key');
    const encoded = await send({ path: `/api-keys/auth/${'%41'.repeat(4000)}` });
    expectRefused(encoded, 404, 'key_malformed');
  });

  it.each([
    ['GET', '/'.repeat(5000)],
    ['GET', '/api-keys/../accounts/x/y/z'],
    ['GET', '//evil.test/api-keys'],
    ['GET', '/api-keys/a/b/c'],
    ['POST', '/nowhere'],
    ['POST', '/api-keys/auth/a/b'],
  ])('%s %s: 404 route_not_found', async (method, path) => {
    expectRefused(await send({ method, path }), 404, 'route_not_found');
    expectRefused(await send({ method, path, body: '{"a":1}' }), 404, 'route_not_found');
  });

  it('an unknown path is a 404, whatever the body is', async () => {
    for (const body of ['{"a":', 'text', ' '.repeat(60_000)])
      expectRefused(await send({ path: '/nowhere', body }), 404, 'route_not_found');
  });
});

describe('queries', () => {
  const callable = describeRoutes().filter(
    ({ access, body, fromPages, operationId, query }) =>
      access !== 'person' &&
      !fromPages &&
      body === undefined &&
      // A missing parameter would be reported first.
      !query?.required?.length &&
      operationId !== 'finishProviderSignIn',
  );

  it.each(callable)('$method $path rejects an unknown parameter by name', async (route) => {
    const path = `${route.path.replaceAll(/:\w+/g, 'some-value')}?colour=red`;
    const session = { customAccountId: 'acme' };
    const { token } = (await test.client.post('/portal-sessions', session)).body;
    const credential = route.access === 'portal' ? { token } : {};
    const response = await send({ method: route.method, path, ...credential });
    expectRefused(response, 400, 'invalid_query');
    expect(response.text).toContain('unknown parameter \\"colour\\"');
  });

  it('an unknown one gets a suggestion', async () => {
    const { text } = await send({ method: 'GET', path: '/api-keys?projectid=x' });
    expect(JSON.parse(text).message).toContain('Did you mean "projectId"?');
  });
});

describe('headers', () => {
  it.each([
    ['x-api-key', () => `x-api-key: ${test.accessKey}`],
    ['x-api-key', () => 'X-API-KEY: another'],
    ['authorization', () => 'Authorization: Bearer a\r\nAuthorization: Bearer b'],
    ['idempotency-key', () => 'Idempotency-Key: a\r\nIdempotency-Key: b'],
    ['x-origin-domain', () => 'x-origin-domain: a\r\nx-origin-domain: b'],
  ])('%s twice: 400 invalid_header, on every route', async (name, line) => {
    for (const path of ['/api-keys', `/api-keys/auth/${apiKey}`, '/healthz']) {
      const method = path === '/healthz' ? 'GET' : 'POST';
      const response = await send({ method, path, headers: [line()] });
      expectRefused(response, 400, 'invalid_header');
      expect(JSON.parse(response.text).message).toContain(name);
    }
  });

  it('host twice, or not at all: 400', async () => {
    for (const path of ['/api-keys', `/api-keys/auth/${apiKey}`]) {
      expectRefused(await send({ path, headers: ['Host: other.test'] }), 400, 'invalid_header');
      expectRefused(await send({ path, host: false }), 400, 'invalid_header');
    }
  });

  it('a missing host is accepted in HTTP/1.0, as sent by old load balancers', async () => {
    const [response] = await sendRaw(test.url, 'GET /healthz HTTP/1.0\r\n\r\n');
    expect(response!.status).toBe(200);
  });

  it('more than 16 KB: 431', async () => {
    const response = await send({ headers: [`x-filler: ${'f'.repeat(17_000)}`] });
    expectRefused(response, 431, 'headers_too_large');
    expectRefused(await send({ path: `/${'p'.repeat(17_000)}` }), 431, 'headers_too_large');
  });

  it.each([
    ['both a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6'],
    ['a length that is not a number', 'Content-Length: five'],
    ['a negative length', 'Content-Length: -5'],
    ['an unknown transfer coding', 'Transfer-Encoding: gzip'],
    ['a line without a colon', 'no colon here'],
    ['a space before the colon', 'x-thing : 1'],
    ['a folded line', 'x-thing: 1\r\n 2'],
    ['NUL in a value', 'x-thing: a\0b'],
  ])('%s: 400', async (_, line) => {
    const response = await send({ headers: [line] });
    expect(response.status).toBe(400);
    expectRefused(response, 400, JSON.parse(response.text).code);
  });

  it('an unknown expectation is ignored, as the standard allows', async () => {
    const response = await send({
      method: 'GET',
      path: '/accounts',
      headers: ['Expect: 200-ok-please'],
    });
    expect(response.status).toBe(200);
  });

  it('Expect: 100-continue is answered, and then the request', async () => {
    const headers = [
      'Expect: 100-continue',
      'Content-Type: application/json',
      'Content-Length: 12',
    ];
    const responses = await sendRaw(test.url, head({ headers }), '{"name":"a"}');
    expect(responses.map(({ status }) => status)).toEqual([100, 201]);
  });
});

describe('methods', () => {
  it.each(['PUT', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY'])(
    '%s on a known path: 405 with Allow, whatever the body and the credential',
    async (method) => {
      for (const path of ['/api-keys', '/api-keys/', '/api-keys?name=x']) {
        const response = await send({ method, path, body: '{"a":' });
        expectRefused(response, 405, 'method_not_allowed');
        expect(response.headers.allow).toBe('GET, HEAD, POST');
        expect(response.text).toContain(`does not support ${method}. It supports GET, HEAD, POST.`);
      }
      expectRefused(await send({ method, path: '/nowhere' }), 404, 'route_not_found');
    },
  );

  it.each([
    ['/', 'DELETE', 'GET, HEAD'],
    ['/healthz', 'POST', 'GET, HEAD'],
    ['/docs', 'POST', 'GET, HEAD'],
    ['/dashboard/keys', 'POST', 'GET, HEAD'],
    ['/api-keys/auth/some-value', 'HEAD', 'GET, POST'],
    ['/changes', 'HEAD', 'GET'],
    ['/webhooks/topics', 'PUT', 'DELETE, GET, HEAD, PATCH'],
    ['/api-keys/some-key/rotate', 'GET', 'POST'],
  ])('%s rejects %s and allows %s', async (path, method, allow) => {
    const response = await send({ method, path });
    expect([response.status, response.headers.allow]).toEqual([405, allow]);
  });

  it('a path that only the pattern of a parameter excludes: 404', async () => {
    for (const path of ['/portal/anything', '/portal/anything/', '/portal/anything/logo.png']) {
      const response = await send({ method: 'GET', path });
      expectRefused(response, 404, 'route_not_found');
    }
  });

  it('OPTIONS lists the methods of a path', async () => {
    const response = await send({ method: 'OPTIONS', path: '/api-keys' });
    expect([response.status, response.headers.allow, response.text]).toEqual([
      204,
      'GET, HEAD, POST',
      '',
    ]);
    expectRefused(await send({ method: 'OPTIONS', path: '/nowhere' }), 404, 'route_not_found');
  });

  it('HEAD returns the status and headers of GET without a body', async () => {
    const [response] = await sendRaw(test.url, head({ method: 'HEAD', path: '/nowhere' }));
    expect(response!.status).toBe(404);
    for (const path of ['/accounts', '/api-keys', '/api-keys?limit=1', '/webhooks/topics']) {
      const responses = await Promise.all(['HEAD', 'GET'].map((method) => send({ method, path })));
      const [ofHead, ofGet] = responses.map(({ status, headers }) => [
        status,
        headers['content-type'],
      ]);
      expect(ofHead).toEqual(ofGet);
      expect(responses[0]!.text).toBe('');
    }
  });

  it('HEAD validates nothing', async () => {
    const path = `/api-keys/auth/${apiKey}`;
    const before = test.app.validator.outcomes.valid;
    expect((await send({ method: 'HEAD', path })).status).toBe(405);
    expect(test.app.validator.outcomes.valid).toBe(before);
  });

  it('an invalid method: 400', async () => {
    expectRefused(await send({ method: 'FETCH' }), 400, 'invalid_request');
  });

  it('CONNECT opens no tunnel', async () => {
    const responses = await sendRaw(test.url, head({ method: 'CONNECT', path: 'evil.test:443' }));
    expect(responses.every(({ status }) => status >= 400)).toBe(true);
  });

  it('an upgrade is ignored', async () => {
    const responses = await sendRaw(
      test.url,
      `GET /accounts HTTP/1.1\r\nHost: k\r\nx-api-key: ${test.accessKey}\r\n` +
        'Upgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n',
    );
    expect(responses.map(({ status }) => status)).toEqual([200]);
  });
});

describe('bytes that are not HTTP', () => {
  it.each([
    ['noise', Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 7 + 128) % 256))],
    ['a TLS hello', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, ...Array(64).fill(7)])],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a single line', 'hello\r\n\r\n'],
    ['HTTP/3.0', 'GET / HTTP/3.0\r\nHost: k\r\n\r\n'],
  ])('%s: 400 and closed', async (_, bytes) => {
    const [response] = await sendRaw(test.url, bytes);
    expectRefused(response, 400, 'invalid_request');
    expect(response!.headers.connection).toBe('close');
  });

  it('a request that ends in its body does no harm', async () => {
    const { connect } = await import('node:net');
    const { hostname, port } = new URL(test.url);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write('POST /api-keys HTTP/1.1\r\nHost: k\r\nContent-Length: 100\r\n\r\n{"na');
        setImmediate(() => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    expect((await send({ method: 'GET', path: '/healthz' })).status).toBe(200);
  });
});

describe('pipelined requests', () => {
  it('are answered in order', async () => {
    const one = (path: string, method = 'GET') =>
      `${method} ${path} HTTP/1.1\r\nHost: k\r\nx-api-key: ${test.accessKey}\r\n`;
    const responses = await sendRaw(
      test.url,
      [
        `${one(`/api-keys/auth/${apiKey}`, 'POST')}\r\n`,
        `${one('/accounts?limit=1')}\r\n`,
        `${one('/api-keys/auth/unknown-value', 'POST')}\r\n`,
        `${one('/nowhere')}\r\n`,
        `${one('/api-keys/auth', 'POST')}Content-Type: application/json\r\nContent-Length: 21\r\n\r\n{"key":"unknown-two"}`,
        `${one('/healthz')}Connection: close\r\n\r\n`,
      ].join(''),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 404, 404, 404, 200]);
    expect(JSON.parse(responses[0]!.text).name).toBe('Known');
    expect(JSON.parse(responses[5]!.text)).toEqual({ status: 'ok' });
  });

  it('a rejected request’s body is not read as the next request', async () => {
    const hidden = `DELETE /api-keys/${apiKey} HTTP/1.1\r\nHost: k\r\nx-api-key: ${test.accessKey}\r\n\r\n`;
    const responses = await sendRaw(
      test.url,
      `POST /nowhere HTTP/1.1\r\nHost: k\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}` +
        'GET /healthz HTTP/1.1\r\nHost: k\r\nConnection: close\r\n\r\n',
    );
    expect(responses.map(({ status }) => status)).toEqual([404, 200]);
  });
});
