import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';

/** Parses one record of RFC 4180. */
function readLine(line: string): string[] {
  const cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|$)/y;
  for (;;) {
    const [, quoted, plain, end] = cell.exec(line)!;
    cells.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end === '') return cells;
  }
}

test.each([
  ['plain', 'plain'],
  ['with, comma', '"with, comma"'],
  ['with "quotes"', '"with ""quotes"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+49', "'+49"],
  ['-1', "'-1"],
  ['@sum', "'@sum"],
  ['\tx', "'\tx"],
  ['\rx', '"\'\rx"'],
  [-1, '-1'],
  [0, '0'],
  [null, ''],
])('%j is written %j', (value, cell) => {
  expect(csvLine([value])).toBe(cell);
});

test('every string survives a round trip, and no cell starts like a formula', () => {
  const texts = fc.array(fc.string({ unit: 'binary' }), { minLength: 1 });
  fc.assert(
    fc.property(texts, (cells) => {
      const read = readLine(csvLine(cells));
      expect(read.map((cell) => cell.replace(/^'(?=[=+\-@\t\r])/, ''))).toEqual(
        cells.map((cell) => cell.replace(/^'(?=[=+\-@\t\r])/, '')),
      );
      for (const cell of read) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    }),
  );
});
