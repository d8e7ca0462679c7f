import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrictJson } from '../../kernel/json/json.ts';
import { parseBody } from './validation-body.ts';

const value = fc.string({
  minLength: 1,
  maxLength: 60,
  unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', '~'),
});

/** What the strict parser reads from the same bytes; undefined if it rejects them. */
function strictly(body: Buffer): unknown {
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

describe('a key in a body', () => {
  it('is read with its cost', () => {
    const read = parseBody(Buffer.from('{"key":"a-key","clientIP":"10.0.0.1","cost":1000000}'));
    expect(read).toMatchObject({ key: 'a-key', cost: 1_000_000 });
    expect(parseBody(Buffer.from('{"key":"a-key","cost":0}'))).toMatchObject({ cost: 0 });
    expect(parseBody(Buffer.from('{"key":"a-key","permissions":"a"}'))).toMatchObject({ cost: 1 });
  });

  it.each(['1000001', '-1', '01', '1.5', '1e3', '"1"', 'null'])(
    'is left to the router with a cost of %s',
    (cost) => {
      expect(parseBody(Buffer.from(`{"key":"a-key","cost":${cost}}`))).toBeNull();
    },
  );
});

describe('keys in a body', () => {
  it('are read as JSON.stringify wrote them', () => {
    const keys = fc.oneof(alike, fc.array(value, { minLength: 1, maxLength: 40 }));
    fc.assert(
      fc.property(keys, (keys) => {
        expect(parseBody(Buffer.from(JSON.stringify({ keys })))).toEqual(keys);
      }),
    );
  });

  it('are never read differently from the strict parser, however the body is changed', () => {
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
          const read = parseBody(body);
          if (read !== null) expect(strictly(body)).toEqual({ keys: read });
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
  ])('are left to the router if the body is %.40s', (text) => {
    expect(parseBody(Buffer.from(text))).toBeNull();
  });

  it('are left to the router if the bytes are not valid UTF-8', () => {
    expect(parseBody(Buffer.from('{"keys":["a\xff"]}', 'latin1'))).toBeNull();
  });
});
