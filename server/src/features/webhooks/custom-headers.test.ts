import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeywardError } from '../../kernel/errors.ts';
import { parseCustomHeaders } from './custom-headers.ts';

function refusalOf(input: unknown): KeywardError {
  try {
    parseCustomHeaders(input);
  } catch (error) {
    if (error instanceof KeywardError) return error;
  }
  throw new Error('The headers were accepted.');
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, 'v']));

it('accepts ordinary headers unchanged', () => {
  const headers = { Authorization: 'Bearer a b', 'X-Trace_1': '', cookie: 'a=b; c="d~"' };
  expect(parseCustomHeaders(headers)).toEqual(headers);
  expect(parseCustomHeaders({})).toEqual({});
  expect(parseCustomHeaders(many(20))).toEqual(many(20));
  expect(parseCustomHeaders({ ['n'.repeat(64)]: 'v'.repeat(1024) })).toBeDefined();
});

describe('a name that would override ours or control the connection', () => {
  it.each([
    ...['host', 'Host', 'HOST', 'connection', 'Keep-Alive', 'Transfer-Encoding', 'te', 'Trailer'],
    ...['upgrade', 'HTTP2-Settings', 'expect', 'User-Agent', 'Accept-Encoding', 'content-type'],
    ...['Content-Length', 'content-encoding', 'content-x', 'webhook-id', 'Webhook-Signature'],
    ...['webhook-timestamp', 'webhook-new', 'proxy-authorization', 'Proxy-Connection'],
  ])('is rejected: %s', (name) => {
    const error = refusalOf({ [name]: 'v' });
    expect(error.status).toBe(400);
    expect(error.message).toContain(`customHeaders cannot set ${name}`);
  });
});

describe('parseCustomHeaders', () => {
  it.each(['', ' ', 'a b', 'a:', 'ä', 'a\r\nb', 'a\u0000', '(x)', ':path', 'x-✓', 'a,b'])(
    'rejects the name %j',
    (name) => {
      expect(refusalOf({ [name]: 'v' }).message).toContain('not a valid header name');
    },
  );

  it.each(['a\r\nhost: b', 'a\nb', '\u0000', 'tab\t', 'é', '✓', '\u007f'])(
    'rejects the value %j without repeating it',
    (value) => {
      const secret = `planted-${value}`;
      const { message } = refusalOf({ 'x-a': secret });
      expect(message).toContain('printable ASCII');
      expect(message).not.toContain('planted');
    },
  );

  it.each([1, null, true, ['v'], {}, undefined])('rejects the value %j', (value) => {
    expect(refusalOf({ 'x-a': value }).message).toContain('not a string');
  });

  it.each([null, [], 'x: y', 1, undefined, [['a', 'b']]])('rejects %j', (input) => {
    expect(refusalOf(input).message).toContain('must be an object');
  });

  it('rejects more than 20 headers, long names and long values', () => {
    expect(refusalOf(many(21)).message).toContain('at most 20');
    expect(refusalOf({ ['n'.repeat(65)]: 'v' }).message).toContain('64 characters');
    expect(refusalOf({ n: 'v'.repeat(1025) }).message).toContain('1024 characters');
  });

  it('rejects a repeated name, in any case', () => {
    expect(refusalOf({ 'X-A': '1', 'x-a': '2' }).message).toContain('twice');
  });
});

it('accepts every object or rejects it with 400, and keeps __proto__ out of prototypes', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.anything()), (input) => {
      try {
        parseCustomHeaders(input);
      } catch (error) {
        expect((error as KeywardError).code).toBe('invalid_body');
      }
    }),
  );
  const taken = parseCustomHeaders(JSON.parse('{"__proto__": "v"}'));
  expect(Object.entries(taken)).toEqual([['__proto__', 'v']]);
  expect(Object.getPrototypeOf(taken)).toBe(Object.prototype);
});
