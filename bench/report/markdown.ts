import { machineText } from '../machine.ts';
import { cellsOf, type Row } from '../rows.ts';
import { type Report, rowsOf } from './report.ts';

const HEAD = '| What | Median | Spread | Bar | |\n|---|---:|---:|---:|---|';

function lineOf(each: Row): string {
  const [name, value, unit, spread, bar, verdict] = cellsOf(each) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const figure = unit === '×' ? `${value}×` : `${value} ${unit}`.trim();
  const cells = [name.trim(), figure, spread, bar, verdict === 'FAILS' ? '**fails**' : verdict];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replace(
    / +\|/g,
    ' |',
  );
}

const tableOf = (rows: readonly Row[]): string => [HEAD, ...rows.map(lineOf)].join('\n');

/** Where the figures are from, so that nobody takes them for those of another machine. */
function origin({ commit, takenAt, machine, seconds }: Report): string {
  const minutes = Math.round(seconds / 60);
  return `Commit ${commit}, ${takenAt.slice(0, 10)}, ${minutes} minutes on ${machineText(machine)}.`;
}

const picture = (folder: string): string => `![Validations a second](${folder}/bench.svg)`;

/** For README: the race, and nothing else. */
export function summaryOf(report: Report): string {
  const race = report.sections.find(({ scenario }) => scenario === 'validation')?.rows ?? [];
  const shown = race.filter(({ unit, name }) => unit === 'req/s' || name.includes('against'));
  return [picture('docs/images'), tableOf(shown), origin(report)].join('\n\n');
}

/** For docs/benchmarks.md: every bar first, then what each scenario told besides. */
export function detailsOf(report: Report): string {
  const barred = rowsOf(report).filter(({ bar, holds }) => bar !== null || holds !== null);
  const failing = barred.filter(({ holds }) => holds === false).length;
  const verdict =
    failing === 0
      ? `All ${barred.length} bars hold.`
      : `**${failing} of ${barred.length} bars do not hold.**`;
  const sections = report.sections.map(
    ({ scenario, seconds, rows }) =>
      `#### ${scenario}, ${Math.round(seconds)} s\n\n${tableOf(rows)}`,
  );
  return [
    picture('images'),
    origin(report),
    verdict,
    tableOf(barred),
    `<details>\n<summary>Every figure of the run</summary>`,
    ...sections,
    '</details>',
  ].join('\n\n');
}

/** For docs/benchmarks.md: each curve with its picture. */
export const curvesOf = (report: Report): string =>
  [
    origin(report),
    ...report.sections.map(
      ({ scenario, seconds, rows }) =>
        `### ${scenario}, ${Math.round(seconds)} s\n\n![${scenario}](images/curve-${scenario}.svg)\n\n${tableOf(rows)}`,
    ),
  ].join('\n\n');
