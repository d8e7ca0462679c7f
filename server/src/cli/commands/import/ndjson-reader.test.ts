import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NdjsonReader } from './ndjson-reader.ts';
import { ROW_BYTES_MAX, type SourceRow } from './source-row.ts';

function read(chunks: readonly (string | Buffer)[]): SourceRow[] {
  const reader = new NdjsonReader();
  const rows = chunks.flatMap((chunk) => reader.push(Buffer.from(chunk as string)));
  return [...rows, ...reader.end()];
}

it('returns objects with their lines, however the file is split into chunks', () => {
  const object = fc.dictionary(fc.string({ minLength: 1, unit: 'grapheme-ascii' }), fc.string());
  fc.assert(
    fc.property(fc.array(object), fc.nat(), (objects, cut) => {
      fc.pre(objects.every((each) => !Object.hasOwn(each, '__proto__')));
      const bytes = Buffer.from(objects.map((each) => `${JSON.stringify(each)}\r\n\n`).join(''));
      const at = cut % (bytes.length + 1);
      const rows = read([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(rows).toEqual(
        objects.map((fields, n) => ({ line: 2 * n + 1, fields: { ...fields }, problem: null })),
      );
    }),
  );
});

it.each([
  ['is not JSON', '{"key":"sk_live_secret",}'],
  ['contains a duplicate field', '{"key":"sk_live_secret","key":"other"}'],
  ['is an array', '["sk_live_secret"]'],
  ['is text', '"sk_live_secret"'],
  ['is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
])('refuses a line that %s without quoting it, and reads the next', (_, line) => {
  const rows = read([Buffer.concat([Buffer.from(line as string), Buffer.from('\n{"a":1}')])]);
  expect(rows[0]).toMatchObject({ line: 1, fields: null });
  expect(JSON.stringify(rows[0])).not.toContain('secret');
  expect(rows[1]).toEqual({ line: 2, fields: { a: 1 }, problem: null });
});

it('skips a line that is too long', () => {
  const piece = 'x'.repeat(ROW_BYTES_MAX + 1);
  const rows = read([piece, piece, `${piece}\n{"a":1}\n`]);
  expect(rows).toEqual([
    { line: 1, fields: null, problem: 'The line is too long.' },
    { line: 2, fields: { a: 1 }, problem: null },
  ]);
});
