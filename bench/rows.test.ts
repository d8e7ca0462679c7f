import { describe, expect, it } from 'vitest';
import { allHold, row, tableOf } from './rows.ts';

describe('the rows of the table', () => {
  it('hold or fail their bar by the median', () => {
    expect(row('ratio', '×', [0.69, 0.7, 0.9], { atLeast: 0.7 })).toMatchObject({
      value: 0.7,
      bar: '≥ 0.7',
      holds: true,
    });
    expect(row('ratio', '×', [0.6, 0.69, 0.9], { atLeast: 0.7 }).holds).toBe(false);
    expect(row('growth', 'MB', 50.1, { atMost: 50 }).holds).toBe(false);
    expect(row('growth', 'MB', 50, { atMost: 50 }).holds).toBe(true);
  });

  it('never hold by a figure that is none', () => {
    expect(row('ratio', '×', Number.NaN, { atLeast: 0.7 }).holds).toBe(false);
  });

  it('inform without a bar', () => {
    const info = row('speed', 'req/s', 1000);
    expect(info).toMatchObject({ bar: null, holds: null, spread: null });
    expect(allHold([info])).toBe(true);
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
    ]);
    expect(text.split('\n')).toEqual([
      'what       median  unit          spread  bar',
      'a           2.000  ×      1.000 – 3.000  ≤ 1  FAILS',
      'long name  12,345  req/s',
    ]);
  });
});
