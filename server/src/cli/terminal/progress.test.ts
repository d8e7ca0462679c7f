import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Progress } from './progress.ts';
import type { Terminal } from './terminal.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Shows the steps one second apart, and returns what a terminal showed, without the bar. */
function shown(total: number | null, steps: readonly (readonly [rows: number, done: number])[]) {
  const lines: string[] = [];
  const terminal = { columns: 80, progress: (text: string) => lines.push(text) };
  const progress = new Progress(terminal as unknown as Terminal, total);
  for (const [rows, done] of steps) {
    vi.advanceTimersByTime(1_000);
    progress.show(rows, done);
  }
  return lines.map((line) => line.replace(/^\[[#.]+\] /, ''));
}

it('shows the rate and the time left', () => {
  expect(
    shown(400, [
      [10, 100],
      [20, 200],
      [30, 300],
    ]),
  ).toEqual([
    '25 %, 10 rows',
    '50 %, 20 rows, 10 a second, 2 s left',
    '75 %, 30 rows, 10 a second, 1 s left',
  ]);
});

it('measures only this run if an earlier one did a part', () => {
  expect(
    shown(1_000, [
      [90, 900],
      [91, 910],
    ]),
  ).toEqual(['90 %, 90 rows', '91 %, 91 rows, 1 a second, 9 s left']);
});

it('shows no share of an unknown total', () => {
  expect(
    shown(null, [
      [5, 0],
      [6, 0],
    ]),
  ).toEqual(['5 rows', '6 rows, 1 a second']);
});
