import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvReader } from './csv-reader.ts';
import { FileProblem, type SourceRow } from './source-row.ts';

function read(text: string | Buffer, cuts: readonly number[] = []): SourceRow[] {
  const bytes = Buffer.from(text as string);
  const reader = new CsvReader(() => {});
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  const rows = places.slice(1).flatMap((end, n) => reader.push(bytes.subarray(places[n], end)));
  return [...rows, ...reader.end()];
}

const fieldsOf = (rows: readonly SourceRow[]) => rows.map(({ fields }) => fields);

describe('a table', () => {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'é', '漢', '"', ',', ';', '\n', '\r', ' ', '{') }),
    fc.string(),
  );
  const table = fc.record({
    rows: fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 12 }),
    ending: fc.constantFrom('\n', '\r\n'),
    isEnded: fc.boolean(),
    cuts: fc.array(fc.nat(), { maxLength: 8 }),
  });

  it('is read correctly, however it is split into chunks', () => {
    fc.assert(
      fc.property(table, ({ rows, ending, isEnded, cuts }) => {
        const lines = ['a,b,c', ...rows.map((row) => row.map(quoted).join(','))];
        const text = lines.join(ending) + (isEnded ? ending : '');
        expect(fieldsOf(read(text, cuts))).toEqual(rows.map(([a, b, c]) => ({ a, b, c })));
      }),
      { numRuns: 500 },
    );
  });

  it('of arbitrary bytes is read or refused, the same for every split', () => {
    const anything = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    const wild = fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r\n', 'x') }).map(Buffer.from);
    fc.assert(
      fc.property(fc.oneof(anything, wild), fc.array(fc.nat(), { maxLength: 5 }), (bytes, cuts) => {
        const outcome = (places: readonly number[]) => {
          try {
            return read(Buffer.concat([Buffer.from('a,b\n'), bytes]), places);
          } catch (error) {
            expect(error).toBeInstanceOf(FileProblem);
            return String(error);
          }
        };
        expect(outcome(cuts)).toEqual(outcome([]));
      }),
      { numRuns: 500 },
    );
  });
});

it('reports the first line of a row, also after line breaks inside cells', () => {
  const rows = read('a,b\n1,"x\ny\nz"\n\n2,3\n"un",closed"\n4,5\n');
  expect(rows.map(({ line, problem }) => [line, problem === null])).toEqual([
    [2, true],
    [6, true],
    [7, false],
  ]);
});

it.each([
  ['too few cells', 'x'],
  ['too many cells', 'x,y,z'],
  ['text after a closing quote', '"x"y,z'],
  ['a quote inside an unquoted cell', 'x"",z'],
])('a row with %s is refused, and the next is read', (_, row) => {
  const rows = read(`a,b\n${row}\n1,2\n`);
  expect(rows[0]).toMatchObject({ line: 2, fields: null, problem: expect.any(String) });
  expect(rows[1]).toMatchObject({ line: 3, fields: { a: '1', b: '2' } });
});

it('a cell that is not UTF-8 makes only its row invalid', () => {
  const rows = read(
    Buffer.concat([Buffer.from('a\n'), Buffer.from([0xe9, 0x0a]), Buffer.from('é\n')]),
  );
  expect(rows.map(({ fields }) => fields)).toEqual([null, { a: 'é' }]);
});

it.each([
  [';', 'a;b\n1;"x,y"\n'],
  ['tab', 'a\tb\n1\tx,y\n'],
])('detects the delimiter %s from the header', (_, text) => {
  expect(fieldsOf(read(text))).toEqual([{ a: '1', b: 'x,y' }]);
});

it('an unclosed quote is an error and does not fill the memory', () => {
  expect(() => read(`a,b\n1,"${'x\n'.repeat(100_000)}`)).toThrow(/line 2: .*quote/);
});

it('refuses a duplicate column', () => {
  expect(() => read('a,a\n')).toThrow(FileProblem);
});
