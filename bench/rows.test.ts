import { describe, expect, it } from 'vitest';
import { allHold, estimate, figure, leftOut, row, tableOf } from './rows.ts';

describe('the rows of the table', () => {
  it('hold or fail their bar by the median', () => {
    expect(row('ratio', '×', [0.69, 0.7, 0.9], { atLeast: 0.7 })).toMatchObject({
      value: 0.7,
      bar: '≥ 0.7',
      holds: true,
      spread: { low: 0.69, high: 0.9, of: 'rounds' },
    });
    expect(row('ratio', '×', [0.6, 0.69, 0.9], { atLeast: 0.7 }).holds).toBe(false);
    expect(row('growth', 'MB', 50.1, { atMost: 50 }).holds).toBe(false);
    expect(row('growth', 'MB', 50, { atMost: 50 }).holds).toBe(true);
  });

  it('say of many pairs where their median lies, not how far they scatter', () => {
    const pairs = Array.from({ length: 20 }, (_, n) => (n + 1) / 10);
    expect(estimate('tally', pairs, { atLeast: 1 })).toMatchObject({
      value: 1.05,
      spread: { low: 0.6, high: 1.5, of: 'median' },
      holds: true,
    });
  });

  it('never hold by a figure that is none', () => {
    expect(row('ratio', '×', Number.NaN, { atLeast: 0.7 }).holds).toBe(false);
  });

  it('inform without a bar', () => {
    const info = row('speed', 'req/s', 1000);
    expect(info).toMatchObject({ bar: null, holds: null, spread: null });
    expect(allHold([info])).toBe(true);
  });

  it('say what was left out, and fail where a run owes it', () => {
    expect(allHold([leftOut('nginx', 'not installed')])).toBe(true);
    expect(allHold([leftOut('soak', 'no time was left', true)])).toBe(false);
  });

  it('fail together when one fails', () => {
    const good = row('a', '', 1, { atMost: 2 });
    expect(allHold([good, good])).toBe(true);
    expect(allHold([good, row('b', '', 3, { atMost: 2 })])).toBe(false);
  });

  it('are told as a table whose columns stand in line', () => {
    const text = tableOf([
      row('a', '×', [1, 2, 3], { atMost: 1 }),
      row('long name', 'req/s', 12345),
      leftOut('nginx', 'not installed'),
      estimate('b', [0.9, 1, 1.1]),
    ]);
    expect(text.split('\n')).toEqual([
      'what       median  unit             spread  bar',
      'a               2  ×                 1 – 3  ≤ 1  FAILS',
      'long name  12,345  req/s',
      'nginx           –                                not installed',
      'b               1  ×      0.9 – 1.1 (95 %)',
    ]);
  });
});

describe('a figure', () => {
  it('has three places that mean something', () => {
    expect([0.85321, 1.05, 12.345, 123.45, 12345.6, 0, 0.000123].map(figure)).toEqual([
      '0.853',
      '1.05',
      '12.3',
      '123',
      '12,346',
      '0',
      '0.000123',
    ]);
  });
});
