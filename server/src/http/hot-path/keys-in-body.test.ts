import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrictJson } from '../../kernel/json.ts';
import { EvenBatch } from './even-batch.ts';
import { type Asked, askedIn, PLAIN_VALUE, severalIn } from './keys-in-body.ts';

const value = fc.string({
  minLength: 1,
  maxLength: 60,
  unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', '~'),
});

/** What the long way reads of the same bytes; undefined where it refuses them. */
function longWay(body: Buffer): unknown {
  try {
    return parseStrictJson(body);
  } catch {
    return undefined;
  }
}

/** What is validated: evenly divided values where memory may hold them all, else those read with care. */
function readIn(body: Buffer): Exclude<Asked, EvenBatch> | null {
  const asked = askedIn(body);
  if (!(asked instanceof EvenBatch)) return asked;
  const values = Array.from({ length: asked.count }, (_, n) => {
    const start = asked.first + n * asked.step;
    return asked.bytes.toString('latin1', start, start + asked.length);
  });
  return values.every((each) => PLAIN_VALUE.test(each)) ? values : severalIn(asked.text());
}

const alike = fc.integer({ min: 1, max: 70 }).chain((length) =>
  fc.array(
    fc.string({
      minLength: length,
      maxLength: length,
      unit: fc.constantFrom('a', 'Z', '0', '_'),
    }),
    { minLength: 1, maxLength: 40 },
  ),
);

describe('keys in a body', () => {
  it('are those that JSON.stringify wrote', () => {
    const keys = fc.oneof(alike, fc.array(value, { minLength: 1, maxLength: 40 }));
    fc.assert(
      fc.property(keys, (keys) => {
        expect(readIn(Buffer.from(JSON.stringify({ keys })))).toEqual(keys);
      }),
    );
  });

  it('of one length are left where they stand, up to what one block of a hash takes', () => {
    fc.assert(
      fc.property(alike, (keys) => {
        const asked = askedIn(Buffer.from(JSON.stringify({ keys })));
        expect(asked instanceof EvenBatch).toBe(keys[0]!.length <= 64);
      }),
    );
  });

  it('that only seem to be of one length are read with care', () => {
    expect(readIn(Buffer.from('{"keys":["abcde","f","g"]}'))).toEqual(['abcde', 'f', 'g']);
  });

  it('are never read otherwise than by the long way, whatever was done to the body', () => {
    const pieces = fc.constantFrom(
      '"',
      ',',
      '[',
      ']',
      '{',
      '}',
      ':',
      '\\',
      '\\u0041',
      'é',
      '\u0001',
      ' ',
      '1',
      'null',
      '","',
      '"],"keys":["',
      '"],"lease":"',
      '{"a":["',
    );
    const change = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), piece: pieces });
    fc.assert(
      fc.property(
        fc.oneof(alike, fc.array(value, { minLength: 1, maxLength: 4 })),
        fc.array(change),
        (keys, changes) => {
          let text = JSON.stringify({ keys });
          for (const { at, piece } of changes) {
            const cut = Math.floor(at * (text.length + 1));
            text = text.slice(0, cut) + piece + text.slice(cut);
          }
          const body = Buffer.from(text);
          const asked = readIn(body);
          if (asked !== null) expect(longWay(body)).toEqual({ keys: asked });
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '{"keys":[]}',
    '{"keys":[""]}',
    `{"keys":["${'a'.repeat(257)}"]}`,
    `{"keys":["a"${',"a"'.repeat(1_000)}]}`,
    '{"keys":["a","\\u0062"]}',
    '{"keys":["a"],"keys":["b"]}',
    '{"keys":["a"],"lease":["b"]}',
    '{"keys":["a",1,"b"]}',
    '{"keys":["a",{"b":"c"},"d"]}',
    '{"keys":["a" "b"]}',
    ' {"keys":["a"]}',
  ])('%.40s goes the long way', (text) => {
    expect(readIn(Buffer.from(text))).toBeNull();
  });

  it('in bytes that are no text go the long way', () => {
    expect(readIn(Buffer.from('{"keys":["a\xff"]}', 'latin1'))).toBeNull();
  });
});
