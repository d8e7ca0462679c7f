import { describe, expect, it } from 'vitest';
import { barChart } from './bar-chart.ts';
import { lineChart } from './line-chart.ts';
import { ticksUpTo } from './scale.ts';

describe('the marks of an axis', () => {
  it('are round and reach the highest value', () => {
    expect(ticksUpTo(20_000)).toEqual([0, 5_000, 10_000, 15_000, 20_000]);
    expect(ticksUpTo(1)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticksUpTo(87_654).at(-1)).toBe(100_000);
    expect(ticksUpTo(0)).toEqual([0, 1]);
  });
});

describe('a chart of bars', () => {
  const svg = barChart({
    title: 'Speed & more',
    subtitle: 'here',
    bars: [
      { label: '<us>', value: 100, spread: { low: 90, high: 110 }, isOurs: true },
      { label: 'them', value: 50, spread: null, isOurs: false },
    ],
  });

  it('draws each as long as its value', () => {
    const widths = [...svg.matchAll(/<rect class="(\w+)"[^>]* width="([\d.]+)"/g)];
    expect(widths.map(([, kind]) => kind)).toEqual(['ours', 'theirs']);
    expect(Number(widths[0]![2]) / Number(widths[1]![2])).toBeCloseTo(2, 2);
    expect(svg.match(/class="whisker"/g)).toHaveLength(1);
  });

  it('escapes what it is told, runs nothing and loads nothing', () => {
    expect(svg).toContain('&#60;us&#62;');
    expect(svg).toContain('Speed &#38; more');
    expect(svg).not.toMatch(/<us>|<script|href=/);
  });

  it('is readable in the dark', () => {
    expect(svg).toContain('prefers-color-scheme: dark');
  });
});

describe('a chart of lines', () => {
  it('draws a point for each place that has a value', () => {
    const svg = lineChart({
      title: 'Growth',
      subtitle: '',
      places: ['1k', '1M', '10M'],
      axis: 'keys',
      panels: [
        { unit: 'req/s', series: [{ label: 'a', values: [3, 2, null] }] },
        { unit: 'MB', series: [{ label: 'b', values: [1, 1, 1] }] },
      ],
    });
    const points = [...svg.matchAll(/points="([^"]*)"/g)].map(([, list]) => list!.split(' '));
    expect(points.map((list) => list.length)).toEqual([2, 3]);
    const heights = points[1]!.map((point) => point.split(',')[1]);
    expect(new Set(heights).size).toBe(1);
    expect(svg).not.toContain('NaN');
  });
});
