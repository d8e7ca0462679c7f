import { median } from './statistics.ts';

/** One line of the report. A row without a bar only informs. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  /** null: not measured; `note` says why. */
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly bar: Bar | null;
  readonly note: string;
}

export interface Bar {
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Section {
  readonly scenario: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
}

export interface Report {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly seconds: number;
  readonly sections: readonly Section[];
}

/** Several samples are reported by their median, lowest and highest value. */
export function row(name: string, unit: string, samples: number | number[], bar?: Bar): Row {
  const values = typeof samples === 'number' ? [samples] : samples;
  const several = values.length > 1;
  return {
    name,
    unit,
    value: median(values),
    low: several ? Math.min(...values) : null,
    high: several ? Math.max(...values) : null,
    bar: bar ?? null,
    note: '',
  };
}

export const notMeasured = (name: string, note: string, bar?: Bar): Row => ({
  ...{ name, unit: '', value: null, low: null, high: null, note },
  bar: bar ?? null,
});

/** A row with a bar fails if it was not measured. */
export const isMet = ({ value, bar }: Row): boolean =>
  bar === null ||
  (value !== null && value >= (bar.atLeast ?? -Infinity) && value <= (bar.atMost ?? Infinity));

/** Three significant digits. */
export const formatFigure = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString('en-GB', { maximumSignificantDigits: 3 });

const withUnit = (value: number, unit: string): string =>
  unit === '×' ? `${formatFigure(value)}×` : `${formatFigure(value)} ${unit}`.trim();

function formatBar({ atLeast, atMost }: Bar): string {
  if (atLeast !== undefined) return `≥ ${formatFigure(atLeast)}`;
  return atMost === undefined ? 'no failure' : `≤ ${formatFigure(atMost)}`;
}

function formatRow(each: Row): string {
  const { name, unit, value, low, high, bar, note } = each;
  const range = low === null || high === null ? '' : `${formatFigure(low)} – ${formatFigure(high)}`;
  const cells = [
    name,
    value === null ? '–' : withUnit(value, unit),
    range,
    bar === null ? '' : formatBar(bar),
    [bar === null ? '' : isMet(each) ? 'met' : '**missed**', note].filter(Boolean).join(': '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

export const formatTable = (rows: readonly Row[]): string =>
  ['| | Median | Range | Bar | |', '|---|---:|---:|---:|---|', ...rows.map(formatRow)].join('\n');

export const allRows = ({ sections }: Report): Row[] => sections.flatMap(({ rows }) => rows);

const formatOrigin = ({ commit, date, machine, seconds }: Report): string =>
  `Commit ${commit}, ${date}, ${formatFigure(seconds / 60)} minutes on ${machine}.`;

/** For docs/benchmarks.md: the bars, then the other figures of each scenario. */
export function formatReport(report: Report): string {
  const bars = allRows(report).filter(({ bar }) => bar !== null);
  const missed = bars.filter((each) => !isMet(each)).length;
  const verdict =
    missed === 0 ? `All ${bars.length} bars are met.` : `**${missed} of ${bars.length} missed.**`;
  const figures = allRows(report).filter(({ bar }) => bar === null);
  return [
    formatOrigin(report),
    verdict,
    formatTable(bars),
    'Figures without a bar:',
    formatTable(figures),
  ].join('\n\n');
}

/** For README.md: the rows with a target. */
export function formatSummary(report: Report): string {
  const rows = allRows(report).filter(({ bar }) => bar !== null);
  return [formatTable(rows), formatOrigin(report)].join('\n\n');
}

/** Replaces the text between `<!-- bench:begin -->` and `<!-- bench:end -->`. */
export function replaceBetweenMarkers(page: string, text: string): string {
  const [begin, end] = ['<!-- bench:begin -->', '<!-- bench:end -->'];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('The page has no benchmark markers.');
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
