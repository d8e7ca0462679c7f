import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeCommand, RespReader, type RespReply } from './resp.ts';

/** As Redis writes it. */
function written(reply: RespReply): string {
  if (reply === null) return '$-1\r\n';
  if (typeof reply === 'number') return `:${reply}\r\n`;
  if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`;
  if (reply instanceof Error) return `-${reply.message}\r\n`;
  return `*${reply.length}\r\n${reply.map(written).join('')}`;
}

function readIn(pieces: readonly Buffer[]): RespReply[] {
  const replies: RespReply[] = [];
  const reader = new RespReader((reply) => replies.push(reply));
  for (const piece of pieces) reader.read(piece);
  return replies;
}

const read = (text: string): RespReply[] => readIn([Buffer.from(text)]);

const { reply } = fc.letrec<{ reply: RespReply }>((tie) => ({
  reply: fc.oneof(
    { depthSize: 'small' },
    fc.maxSafeInteger(),
    fc.string({ unit: 'grapheme' }),
    fc.constant(null),
    fc.stringMatching(/^[A-Z]+ [a-z ]+$/).map((text) => new Error(text)),
    fc.array(tie('reply'), { maxLength: 5 }) as fc.Arbitrary<readonly RespReply[]>,
  ),
}));

it('parses replies of every kind, however they are split into chunks', () => {
  fc.assert(
    fc.property(fc.array(reply), fc.array(fc.nat()), (replies, cuts) => {
      const bytes = Buffer.from(replies.map(written).join(''));
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
        (a, b) => a - b,
      );
      const pieces = places.slice(1).map((end, n) => bytes.subarray(places[n], end));
      expect(readIn(pieces)).toEqual(replies);
    }),
  );
});

it('returns each reply as soon as it is complete', () => {
  expect(read('+OK\r\n:1\r\n$3\r\nab')).toEqual(['OK', 1]);
  expect(read(':12\r')).toEqual([]);
  expect(read('*2\r\n:1\r\n')).toEqual([]);
  expect(read('*-1\r\n*0\r\n')).toEqual([null, []]);
});

describe('data that is not RESP', () => {
  it.each([
    'HTTP/1.1 400 Bad Request\r\n',
    ':1x\r\n',
    '*a\r\n',
    '%1\r\n',
    `+${'x'.repeat(70_000)}`,
  ])('is refused: %j', (text) => {
    expect(() => read(text)).toThrow('The server does not speak RESP 2; is it Redis?');
  });
});

it('encodes the length of arguments in bytes, not characters', () => {
  expect(encodeCommand(['GET', 'flöte', ''])).toBe('*3\r\n$3\r\nGET\r\n$6\r\nflöte\r\n$0\r\n\r\n');
});
