import { type Summary, summaryOf } from './statistics.ts';

/** One line of the table. Without a bar it only informs. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly spread: Summary | null;
  readonly bar: string | null;
  readonly holds: boolean | null;
}

interface Bar {
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** `samples` of several rounds are told by their median and spread. */
export function row(
  name: string,
  unit: string,
  samples: number | readonly number[],
  bar?: Bar,
): Row {
  const spread = typeof samples === 'number' ? null : summaryOf(samples);
  const value = typeof samples === 'number' ? samples : spread!.median;
  return {
    name,
    value,
    unit,
    spread,
    bar: bar ? barText(bar) : null,
    holds: bar ? value >= (bar.atLeast ?? -Infinity) && value <= (bar.atMost ?? Infinity) : null,
  };
}

const barText = ({ atLeast, atMost }: Bar): string =>
  [atLeast !== undefined && `≥ ${atLeast}`, atMost !== undefined && `≤ ${atMost}`]
    .filter(Boolean)
    .join(' ');

export const allHold = (rows: readonly Row[]): boolean =>
  rows.every(({ holds }) => holds !== false);

const HEADINGS = ['what', 'median', 'unit', 'spread', 'bar', ''];

export function tableOf(rows: readonly Row[]): string {
  const lines = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) =>
    Math.max(...lines.map((line) => line[column]!.length)),
  );
  const rightAligned = new Set([1, 3]);
  const pad = (cell: string, column: number): string =>
    rightAligned.has(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!);
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n');
}

const VERDICTS = new Map([
  [true, 'holds'],
  [false, 'FAILS'],
]);

const cellsOf = (each: Row): string[] => [
  each.name,
  figure(each.value),
  each.unit,
  each.spread ? `${figure(each.spread.min)} – ${figure(each.spread.max)}` : '',
  each.bar ?? '',
  (each.holds !== null && VERDICTS.get(each.holds)) || '',
];

/** Three places that mean something, no more. */
function figure(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-GB');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 3);
}
