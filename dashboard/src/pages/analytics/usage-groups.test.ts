import type { UsageRow } from 'keyward';
import { describe, expect, it } from 'vitest';
import { changeText, groupsOf, hasCosts, seriesOf } from './usage-groups.ts';

const T = [0, 3_600_000];
const row = (group: string | null, at: number, total: number): UsageRow => ({
  group,
  name: group && `Name of ${group}`,
  date: new Date(at).toISOString(),
  total,
  valid: total,
  rateLimited: 0,
  revoked: 0,
  expired: 0,
  domainDenied: 0,
  unknown: 0,
  malformed: 0,
  notStarted: 0,
  ipDenied: 0,
  permissionDenied: 0,
  creditsExhausted: 0,
  cost: total,
});

describe('groups', () => {
  it('sum rows over time, highest total first, with the previous period', () => {
    const rows = [row('a', T[0]!, 1), row('a', T[1]!, 2), row(null, T[1]!, 9)];
    const groups = groupsOf(rows, [row('a', 0, 6), row('gone', 0, 4)], false);
    expect(groups.map(({ id, total, before }) => [id, total, before])).toEqual([
      [null, 9, 0],
      ['a', 3, 6],
      ['gone', 0, 4],
    ]);
    expect(groups[1]?.name).toBe('Name of a');
  });

  it('omit outcomes that did not occur, and label the others', () => {
    const groups = groupsOf([row('valid', 0, 1), row('expired', 0, 0)], null, true);
    expect(groups.map(({ name, before }) => [name, before])).toEqual([['Valid', null]]);
  });

  it('are charted as the six largest and one "other" series, with the same total', () => {
    const rows = Array.from({ length: 9 }, (_, i) => row(`k${i}`, T[1]!, 9 - i));
    const series = seriesOf(groupsOf(rows, null, false), T, false, ({ id }) => id!);
    expect(series.map(({ label }) => label)).toEqual([
      'k0',
      'k1',
      'k2',
      'k3',
      'k4',
      'k5',
      'Others',
    ]);
    expect(series.at(-1)?.values).toEqual([0, 3 + 2 + 1]);
    expect(new Set(series.map(({ color }) => color)).size).toBe(7);
  });

  it('have a cost, which is shown only if it differs from the number of valid requests', () => {
    const costly = { ...row('a', T[1]!, 2), cost: 10 };
    const groups = groupsOf([row('a', T[0]!, 1), costly, row('b', T[1]!, 4)], null, false);
    expect(groups.map(({ id, cost }) => [id, cost])).toEqual([
      ['b', 4],
      ['a', 11],
    ]);
    expect(hasCosts(groups)).toBe(true);
    expect(hasCosts(groups.slice(0, 1))).toBe(false);
  });

  it('show the change from the previous period', () => {
    expect([
      changeText(112, 100),
      changeText(50, 100),
      changeText(1, 0),
      changeText(0, 5),
      changeText(0, 0),
      changeText(5, 5),
    ]).toEqual(['+12%', '−50%', 'new', 'gone', '—', '±0%']);
  });
});
