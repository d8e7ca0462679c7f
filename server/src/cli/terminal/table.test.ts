import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cell, shorten, widthOf } from './cell.ts';
import { printRecord, Table, widthsFor } from './table.ts';
import type { Terminal } from './terminal.ts';

function fakeTerminal(columns: number | null): { terminal: Terminal; text(): string } {
  let written = '';
  const terminal: Terminal = {
    env: {},
    columns,
    out: (text) => {
      written += text;
    },
    err: () => {},
    progress: () => {},
    style: (_, text) => text,
    readInput: () => Promise.reject(new Error('no input')),
  };
  return { terminal, text: () => written };
}

const COLUMNS = [
  { field: 'id', title: 'id', whole: true },
  { field: 'name', title: 'name' },
  { field: 'isActive', title: 'active' },
];

describe('a cell', () => {
  it.each([
    [null, '-'],
    [undefined, '-'],
    [true, 'yes'],
    [false, 'no'],
    [7, '7'],
    ['2027-01-15T08:00:01.234Z', '2027-01-15 08:00:01Z'],
    [['a', 'b'], 'a, b'],
    [{ rateLimit: 10, rateLimitTtl: 60 }, '10 in 60 s'],
    [
      [
        { name: 'day', rateLimit: 5, rateLimitTtl: 86_400, per: 'customer', mode: 'shadow' },
        { name: 'burst', rateLimit: 2, rateLimitTtl: 1, per: 'key', algorithm: 'sliding' },
      ],
      'day: 5 in 86400 s, per customer, shadow; burst: 2 in 1 s, sliding',
    ],
    [{}, '{}'],
  ])('%j reads %s', (value, text) => expect(cell(value)).toBe(text));

  it('contains no control characters', () => {
    const hostile = 'a\x1b[2J\x07b\u202ec\nd\u009b1me';
    const limit = { name: hostile, rateLimit: 1, rateLimitTtl: 1 };
    for (const value of [hostile, [hostile], { hostile }, limit, [limit]])
      expect(cell(value)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('is shortened to the requested width, in any script', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 30 }),
        (text, width) => {
          const short = shorten(text, width);
          expect(widthOf(short)).toBeLessThanOrEqual(width);
          if (widthOf(text) <= width) expect(short).toBe(text);
          else expect(short.endsWith('…')).toBe(true);
        },
      ),
    );
    expect(shorten('日本語のキー', 7)).toBe('日本語…');
  });
});

describe('a table', () => {
  const rows = [
    { id: 'key_1', name: 'short', isActive: true },
    { id: 'key_22', name: '日本', isActive: false },
  ];

  it('aligns its columns without trailing spaces', () => {
    const { terminal, text } = fakeTerminal(null);
    new Table(terminal, COLUMNS).print(rows);
    expect(text()).toBe(
      ['ID      NAME   ACTIVE', 'key_1   short  yes', 'key_22  日本   no', ''].join('\n'),
    );
  });

  it('prints its header once for any number of pages', () => {
    const { terminal, text } = fakeTerminal(null);
    const table = new Table(terminal, COLUMNS);
    table.print(rows);
    table.print(rows);
    expect(text().match(/ACTIVE/g)).toHaveLength(1);
    expect(text().match(/key_22/g)).toHaveLength(2);
  });

  it('shortens names, but not ids, to fit the terminal', () => {
    const { terminal, text } = fakeTerminal(50);
    const id = 'key_0123456789abcdefghij';
    new Table(terminal, COLUMNS).print([{ id, name: 'n'.repeat(80), isActive: true }]);
    expect(text()).toContain(id);
    expect(text()).toContain('n…');
    for (const line of text().split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(50);
  });

  it('shortens nothing in a file', () => {
    const { terminal, text } = fakeTerminal(null);
    new Table(terminal, COLUMNS).print([{ id: 'key_1', name: 'n'.repeat(300), isActive: true }]);
    expect(text()).toContain('n'.repeat(300));
    expect(text()).not.toContain('…');
  });

  it('stops shortening at the minimum widths, even if the line does not fit', () => {
    expect(widthsFor(COLUMNS, [['k'.repeat(30), 'n'.repeat(30), 'yes']], 10)).toEqual([30, 8, 6]);
  });
});

it('a record shows every field, unshortened', () => {
  const { terminal, text } = fakeTerminal(20);
  printRecord(terminal, { id: 'key_1', customMetaData: { a: 'x'.repeat(50) } });
  expect(text()).toBe(`id              key_1\ncustomMetaData  {"a":"${'x'.repeat(50)}"}\n`);
});
