import { median, medianInterval } from './statistics.ts';

/** One line of the table. Without a bar it only informs; without a value it says why there is none. */
export interface Row {
  readonly name: string;
  readonly value: number | null;
  readonly unit: string;
  readonly spread: Spread | null;
  readonly bar: string | null;
  readonly holds: boolean | null;
  readonly note: string | null;
}

export interface Spread {
  readonly low: number;
  readonly high: number;
  /** From the lowest to the highest round, or where the median lies with 95 % confidence. */
  readonly of: 'rounds' | 'median';
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
  if (typeof samples === 'number') return judged(name, unit, samples, null, bar);
  const spread = { low: Math.min(...samples), high: Math.max(...samples), of: 'rounds' as const };
  return judged(name, unit, median(samples), spread, bar);
}

/** Many pairs of short turns: the median of their ratios, and how sure it is. */
export const estimate = (name: string, pairs: readonly number[], bar?: Bar): Row =>
  judged(name, '×', median(pairs), { ...medianInterval(pairs), of: 'median' }, bar);

/** What was not measured, by name and with the reason. `failed`: a bar that a whole run owes. */
export const leftOut = (name: string, why: string, failed = false): Row => ({
  name,
  value: null,
  unit: '',
  spread: null,
  bar: null,
  holds: failed ? false : null,
  note: why,
});

function judged(name: string, unit: string, value: number, spread: Spread | null, bar?: Bar): Row {
  return {
    name,
    value,
    unit,
    spread,
    bar: bar ? barText(bar) : null,
    holds: bar ? value >= (bar.atLeast ?? -Infinity) && value <= (bar.atMost ?? Infinity) : null,
    note: null,
  };
}

const barText = ({ atLeast, atMost }: Bar): string =>
  [atLeast !== undefined && `≥ ${figure(atLeast)}`, atMost !== undefined && `≤ ${figure(atMost)}`]
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

export const cellsOf = (each: Row): string[] => [
  each.name,
  each.value === null ? '–' : figure(each.value),
  each.unit,
  each.spread ? spreadText(each.spread) : '',
  each.bar ?? '',
  [each.holds !== null && VERDICTS.get(each.holds), each.note].filter(Boolean).join(': '),
];

const spreadText = ({ low, high, of }: Spread): string =>
  `${figure(low)} – ${figure(high)}${of === 'median' ? ' (95 %)' : ''}`;

/** Three places that mean something, no more. */
export function figure(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100)
    return Math.round(value).toLocaleString('en-GB');
  return Number(value.toPrecision(3)).toString();
}
