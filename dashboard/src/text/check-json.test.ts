import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJson, formatJson } from './check-json.ts';

describe('checkJson', () => {
  it('accepts every JSON object', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 }), { maxKeys: 8 });
    fc.assert(
      fc.property(objects, (value) => {
        const text = formatJson(value);
        fc.pre(text.length < 4_000);
        expect(checkJson(text)).toMatchObject({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it('parses empty text as an empty object', () => {
    expect(checkJson('  \n')).toEqual({ ok: true, value: {}, bytes: 2 });
  });

  it.each([
    ['{\n  "a": 1,\n  b: 2\n}', 3],
    ['{\n  "a": 1', 2],
    ['nonsense', 1],
  ])('gives the line of the error in %j', (text, line) => {
    expect(checkJson(text)).toMatchObject({ ok: false, line });
  });

  it.each(['[]', '"text"', '12', 'null', 'true'])('rejects %s, which is not an object', (text) => {
    expect(checkJson(text)).toMatchObject({
      ok: false,
      message: expect.stringContaining('object'),
    });
  });

  it('counts the bytes of the minified JSON, not characters', () => {
    const spaced = `{ ${' '.repeat(20_000)} }`;
    expect(checkJson(spaced)).toMatchObject({ ok: true, bytes: 2 });
    expect(checkJson(JSON.stringify({ a: 'é'.repeat(8_200) }))).toMatchObject({ ok: false });
    expect(checkJson(JSON.stringify({ a: 'e'.repeat(8_200) }))).toMatchObject({ ok: true });
  });

  it('limits the depth', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
    expect(checkJson(nested(32))).toMatchObject({ ok: true });
    expect(checkJson(nested(33))).toMatchObject({ ok: false });
  });
});
