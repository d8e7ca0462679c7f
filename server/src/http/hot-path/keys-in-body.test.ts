import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrictJson } from '../../kernel/json.ts';
import { askedIn } from './keys-in-body.ts';

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
        expect(askedIn(Buffer.from(JSON.stringify({ keys })))).toEqual(keys);
      }),
    );
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
          const asked = askedIn(body);
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
    expect(askedIn(Buffer.from(text))).toBeNull();
  });

  it('in bytes that are no text go the long way', () => {
    expect(askedIn(Buffer.from('{"keys":["a\xff"]}', 'latin1'))).toBeNull();
  });
});
