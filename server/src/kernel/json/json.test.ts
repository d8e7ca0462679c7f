import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, KeywardError } from '../errors.ts';
import { checkMetadata, parseLargeJson, parseStrictJson } from './json.ts';
import { JsonReader } from './json-reader.ts';

const parse = (text: string): unknown => parseStrictJson(Buffer.from(text));

const refusal = (act: () => unknown): [code: ErrorCode, message: string] => {
  try {
    act();
  } catch (error) {
    if (error instanceof KeywardError) return [error.code, error.message];
    throw error;
  }
  throw new Error('It was accepted.');
};

function hasOnlyFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(hasOnlyFinite);
}

describe('invalid JSON', () => {
  it.each<[text: string, code: ErrorCode, message: string]>([
    ['', 'invalid_json', 'The body is not valid JSON: it ends too early.'],
    ['{"a":1', 'invalid_json', 'The body is not valid JSON: it ends too early.'],
    [
      '{"a":1} x',
      'invalid_json',
      'The body is not valid JSON: unexpected "x" at line 1, column 9.',
    ],
    [
      '{\n "a" 1}',
      'invalid_json',
      'The body is not valid JSON: unexpected "1" at line 2, column 6.',
    ],
    ['{"a":1,}', 'invalid_json', 'The body is not valid JSON: unexpected "}" at line 1, column 8.'],
    ['[1,]', 'invalid_json', 'The body is not valid JSON: unexpected "]" at line 1, column 4.'],
    ['[01]', 'invalid_json', 'The body is not valid JSON: unexpected "1" at line 1, column 3.'],
    ['NaN', 'invalid_json', 'The body is not valid JSON: unexpected "N" at line 1, column 1.'],
    ['{a:1}', 'invalid_json', 'The body is not valid JSON: unexpected "a" at line 1, column 2.'],
    ['{"a":1,"a":2}', 'invalid_body', 'The body has the field "a" twice.'],
    ['{"a":1,"\\u0061":2}', 'invalid_body', 'The body has the field "a" twice.'],
    [
      '{"m":{"list":[0,{"name":1,"name":1}]}}',
      'invalid_body',
      'The body has the field "m.list[1].name" twice.',
    ],
    ['{"__proto__":{}}', 'invalid_body', 'The body has a field that is not allowed: "__proto__".'],
    [
      '{"a":[{"_\\u005fproto__":1}]}',
      'invalid_body',
      'The body has a field that is not allowed: "a[0].__proto__".',
    ],
    [
      '{"constructor":{"prototype":{}}}',
      'invalid_body',
      'The body has a field that is not allowed: "constructor.prototype".',
    ],
    ['{"name":"a\\u0000b"}', 'invalid_body', 'The body has a NUL character in "name".'],
    ['"\\u0000"', 'invalid_body', 'The body has a NUL character.'],
    ['{"name":"\\ud800"}', 'invalid_body', 'The body has half of a surrogate pair in "name".'],
    ['{"a":{"\\udc00":1}}', 'invalid_body', 'The body has half of a surrogate pair in "a".'],
    ['{"a":[1e999]}', 'invalid_body', 'The body has a number that is too large in "a[0]".'],
    ['-1e999', 'invalid_body', 'The body has a number that is too large.'],
  ])('such as %j is rejected with a message', (text, code, message) => {
    expect(refusal(() => parse(text))).toEqual([code, message]);
  });

  it.each(['"open', '"tab\tinside"', '"\\x41"', '"\\u12"', '"ends with \\'])(
    'with the invalid string %j is rejected',
    (text) => {
      const [code, message] = refusal(() => parse(`[${text}`));
      expect(code).toBe('invalid_json');
      expect(message).toContain('the string that starts at line 1, column 2 is not closed');
    },
  );

  it.each([
    ['a byte that is invalid in UTF-8', [0x22, 0xff, 0x22]],
    ['a truncated character', [0x22, 0xc3, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['an overlong encoding', [0x22, 0xc0, 0xaf, 0x22]],
  ])('with %s is rejected', (_, bytes) => {
    const answer = refusal(() => parseStrictJson(Uint8Array.from(bytes)));
    expect(answer).toEqual(['invalid_json', 'The body is not valid UTF-8.']);
  });

  it('is rejected with a message that truncates long field names', () => {
    const name = '😀'.repeat(5_000);
    const [, message] = refusal(() => parse(`{"${name}":1,"${name}":2}`));
    expect(message.length).toBeLessThan(120);
    expect(message.isWellFormed()).toBe(true);
  });

  it('with too many levels is rejected before the stack overflows', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(parse(nested(40))).toEqual(JSON.parse(nested(40)));
    for (const text of [nested(41), '[{"a":'.repeat(21), '['.repeat(60_000)]) {
      const answer = refusal(() => parse(text));
      expect(answer).toEqual(['invalid_body', 'The body has more than 40 levels.']);
    }
    expect(refusal(() => parseStrictJson(Buffer.from('[[]]'), { levels: 1 }))[0]).toBe(
      'invalid_body',
    );
  });
});

describe('valid JSON', () => {
  it('may have a byte order mark, surrounding whitespace, and names that only look dangerous', () => {
    const text = '\ufeff \r\n\t{"constructor":"a","prototype":1,"toString":2,"proto":[],"":-0} ';
    expect(parse(text)).toEqual(JSON.parse(text.slice(1)));
  });

  it('has the same result as with JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6, stringUnit: 'binary' }), fc.nat(3), (text, indent) => {
        const value: unknown = JSON.parse(text);
        const spaced = JSON.stringify(value, null, indent);
        let read: unknown;
        try {
          read = parse(spaced);
        } catch (error) {
          expect(error).toBeInstanceOf(KeywardError);
          expect(spaced).toMatch(/__proto__|\\u0000|\\ud[89a-f]/);
          return;
        }
        expect(read).toEqual(value);
        expect(JSON.stringify(read)).toBe(JSON.stringify(value));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is what JSON.parse accepts, except for Infinity and duplicate fields', () => {
    const piece = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"a"', '"b"', '"\\n\\u00e9"', '"\\q"', 'true', 'nul', ' '],
      ...['0', '-', '1', '.', 'e', 'E+', '12.50', '-0', '1e5', '\u00a0', '"', '\\', '\n'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let expected: unknown;
        let isJson = true;
        try {
          expected = JSON.parse(text);
        } catch {
          isJson = false;
        }
        // JSON.parse reads 1e999 as Infinity. It is refused here, because JSON cannot express Infinity.
        if (!isJson || !hasOnlyFinite(expected))
          expect(refusal(() => parse(text))[0]).toMatch(/^invalid_(json|body)$/);
        else if (!/("a"|"b"|"\\n\\u00e9").*\1/s.test(text)) expect(parse(text)).toEqual(expected);
      }),
      { numRuns: 5_000 },
    );
  });
});

it('finds every duplicate field, however it is escaped and however deep', () => {
  const escaped = (name: string): string =>
    [...name].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const name = fc.stringMatching(/^[a-z]{1,5}$/);
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { minLength: 1, maxLength: 8 }),
      fc.nat(),
      fc.nat(),
      fc.boolean(),
      fc.nat(30),
      (names, which, where, inEscapes, depth) => {
        const again = names[which % names.length]!;
        const fields = names.map((field) => `"${field}":1`);
        const whole = `${'[{"x":'.repeat(depth / 2)}{${fields.join()}}${'}]'.repeat(depth / 2)}`;
        expect(parse(whole)).toEqual(JSON.parse(whole));
        fields.splice(where % (fields.length + 1), 0, `"${inEscapes ? escaped(again) : again}":2`);
        const text = `${'[{"x":'.repeat(depth / 2)}{${fields.join()}}${'}]'.repeat(depth / 2)}`;
        const [code, message] = refusal(() => parse(text));
        expect(code).toBe('invalid_body');
        expect(message).toMatch(/^The body has the field ".+" twice\.$/);
      },
    ),
  );
});

it('throws only KeywardError, for any bytes', () => {
  const json = fc.json({ stringUnit: 'binary' }).map((text) => Buffer.from(text));
  const broken = fc
    .tuple(json, fc.nat(), fc.integer({ min: 0, max: 255 }))
    .map(([bytes, at, byte]) => {
      const copy = Buffer.from(bytes);
      copy[at % copy.length] = byte;
      return copy;
    });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), broken), (bytes) => {
      try {
        parseStrictJson(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(KeywardError);
      }
    }),
    { numRuns: 10_000 },
  );
});

describe('large JSON', () => {
  const read = async (text: string): Promise<unknown> => parseLargeJson(Buffer.from(text));
  const outcome = async (act: () => unknown) => {
    try {
      return { value: await act() };
    } catch (error) {
      if (error instanceof KeywardError) return [error.code, error.message];
      throw error;
    }
  };

  it('has the same result, or the same error, as read in one piece', async () => {
    const whole = fc.json({ maxDepth: 4 });
    const cut = fc.tuple(whole, fc.nat()).map(([text, at]) => text.slice(0, at % text.length));
    await fc.assert(
      fc.asyncProperty(fc.oneof(whole, cut), async (text) => {
        for (const each of [text, `{"rows":${text},"n":1}`, `[${text},${text}]`])
          expect(await outcome(() => read(each))).toEqual(await outcome(() => parse(each)));
      }),
    );
  });

  it.each([
    ['a list', (rows: string) => rows],
    ['a field', (rows: string) => `{"projectId":"prj","keys":${rows},"dryRun":true}`],
  ])('pauses every 64 KB of %s', async (_, encode) => {
    const text = encode(JSON.stringify(Array.from({ length: 100_000 }, (_row, n) => [n])));
    let pauses = 0;
    const value = await new JsonReader(text, 40).readInSlices(async () => {
      pauses++;
    });
    expect(value).toEqual(JSON.parse(text));
    expect(pauses).toBe(Math.floor(text.length / (64 * 1024)));
  });

  it('is rejected with a value of more than 128 KB, which would be read in one piece', async () => {
    const item = (length: number) => `{"a":[${'0,'.repeat(length / 2)}0]}`;
    expect(await outcome(() => read(`[${item(120 * 1024)}]`))).toHaveProperty('value');
    const tooLong = ['invalid_body', expect.stringContaining('a value of more than 128 KB')];
    expect(await outcome(() => read(`{"keys":[${item(140 * 1024)}]}`))).toEqual(tooLong);
    expect(await outcome(() => read(item(140 * 1024)))).toHaveProperty('value');
    expect(await outcome(() => read(`{"a":${item(140 * 1024)}}`))).toEqual(tooLong);
  });
});

describe('customMetaData', () => {
  const nested = (levels: number): Record<string, unknown> =>
    levels === 1 ? {} : { a: nested(levels - 1) };

  it('is stored as text', () => {
    expect(checkMetadata({ plan: 'gold', seats: [1, null] }, 'customMetaData')).toBe(
      '{"plan":"gold","seats":[1,null]}',
    );
  });

  it('may have at most 32 levels', () => {
    expect(checkMetadata(nested(32), 'customMetaData')).toContain('{}');
    expect(refusal(() => checkMetadata(nested(33), 'customMetaData'))).toEqual([
      'invalid_body',
      'customMetaData has more than 32 levels.',
    ]);
  });

  it('may have at most 16 KB of UTF-8', () => {
    const overhead = '{"a":""}'.length;
    const full = { a: 'é'.repeat((16 * 1024 - overhead) / 2) };
    expect(Buffer.byteLength(checkMetadata(full, 'customMetaData'))).toBe(16 * 1024);
    expect(refusal(() => checkMetadata({ a: `${full.a}x` }, 'customMetaData'))).toEqual([
      'invalid_body',
      'customMetaData is larger than 16 KB.',
    ]);
  });
});
