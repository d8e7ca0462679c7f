import { expect, test } from 'vitest';
import { barChart } from './bar-chart.ts';
import type { Terminal } from './terminal.ts';

const terminal = (columns: number | null, env: Terminal['env'] = {}): Terminal => ({
  env,
  columns,
  out: () => {},
  err: () => {},
  progress: () => {},
  style: (_, text) => text,
  readInput: async () => '',
});

const BARS = [
  { label: 'first', value: 1000 },
  { label: 'b', value: 500 },
  { label: 'hardly', value: 1 },
  { label: 'none', value: 0 },
];

test('draws blocks in eighths on a terminal', () => {
  expect(barChart(terminal(23), BARS)).toBe(
    [
      'first   1,000  ████████',
      'b         500  ████',
      'hardly      1  ▏',
      'none        0',
      '',
    ].join('\n'),
  );
});

test.each([
  ['in a file', terminal(null)],
  ['without colors', terminal(72, { NO_COLOR: '1' })],
])('%s, draws plain marks in 72 columns', (_, where) => {
  const [first, second, third] = barChart(where, BARS).split('\n');
  expect(first).toBe(`first   1,000  ${'#'.repeat(57)}`);
  expect(second).toBe(`b         500  ${'#'.repeat(29)}`);
  expect(third).toBe('hardly      1  #');
});

test('removes control characters from names', () => {
  expect(barChart(terminal(40), [{ label: '\u001b[31mred', value: 1 }])).not.toContain('\u001b');
});
