import { median } from './statistics.ts';

/** One line of the report. A row without a target only informs. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  /** null: not measured; `note` says why. */
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly target: Target | null;
  readonly note: string;
}

export interface Target {
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
export function row(name: string, unit: string, samples: number | number[], target?: Target): Row {
  const values = typeof samples === 'number' ? [samples] : samples;
  const several = values.length > 1;
  return {
    name,
    unit,
    value: median(values),
    low: several ? Math.min(...values) : null,
    high: several ? Math.max(...values) : null,
    target: target ?? null,
    note: '',
  };
}

export const notMeasured = (name: string, note: string, target?: Target): Row => ({
  ...{ name, unit: '', value: null, low: null, high: null, note },
  target: target ?? null,
});

/** A row with a target fails if it was not measured. */
export const isMet = ({ value, target }: Row): boolean =>
  target === null ||
  (value !== null &&
    value >= (target.atLeast ?? -Infinity) &&
    value <= (target.atMost ?? Infinity));

/** Three significant digits. */
export const formatFigure = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString('en-GB', { maximumSignificantDigits: 3 });

const withUnit = (value: number, unit: string): string =>
  unit === '×' ? `${formatFigure(value)}×` : `${formatFigure(value)} ${unit}`.trim();

function formatTarget({ atLeast, atMost }: Target): string {
  if (atLeast !== undefined) return `≥ ${formatFigure(atLeast)}`;
  return atMost === undefined ? 'no failure' : `≤ ${formatFigure(atMost)}`;
}

function formatRow(each: Row): string {
  const { name, unit, value, low, high, target, note } = each;
  const range = low === null || high === null ? '' : `${formatFigure(low)} – ${formatFigure(high)}`;
  const cells = [
    name,
    value === null ? '–' : withUnit(value, unit),
    range,
    target === null ? '' : formatTarget(target),
    [target === null ? '' : isMet(each) ? 'met' : '**missed**', note].filter(Boolean).join(': '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

export const formatTable = (rows: readonly Row[]): string =>
  ['| | Median | Range | Target | |', '|---|---:|---:|---:|---|', ...rows.map(formatRow)].join(
    '\n',
  );

export const allRows = ({ sections }: Report): Row[] => sections.flatMap(({ rows }) => rows);

const formatOrigin = ({ commit, date, machine, seconds }: Report): string =>
  `Commit ${commit}, ${date}, ${formatFigure(seconds / 60)} minutes on ${machine}.`;

/** For docs/benchmarks.md: the targets, then the other figures of each scenario. */
export function formatReport(report: Report): string {
  const targets = allRows(report).filter(({ target }) => target !== null);
  const missed = targets.filter((each) => !isMet(each)).length;
  const verdict =
    missed === 0
      ? `All ${targets.length} targets are met.`
      : `**${missed} of ${targets.length} missed.**`;
  const figures = allRows(report).filter(({ target }) => target === null);
  return [
    formatOrigin(report),
    verdict,
    formatTable(targets),
    'Figures without a target:',
    formatTable(figures),
  ].join('\n\n');
}

/** Replaces the text between `<!-- bench:begin -->` and `<!-- bench:end -->`. */
export function replaceBetweenMarkers(page: string, text: string): string {
  const [begin, end] = ['<!-- bench:begin -->', '<!-- bench:end -->'];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('The page has no benchmark markers.');
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
