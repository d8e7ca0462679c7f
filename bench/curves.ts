import { parseArgs } from 'node:util';
import { demandNode } from '../scripts/node-version.ts';
import { changes } from './curves/changes.ts';
import { connections } from './curves/connections.ts';
import { type Curve, SMALL, WHOLE } from './curves/curve.ts';
import { disturbances } from './curves/disturbances.ts';
import { refusals } from './curves/refusals.ts';
import { storedKeys } from './curves/stored-keys.ts';
import { commit, machine, machineText } from './machine.ts';
import { curvesOf } from './report/markdown.ts';
import { type Report, rowsOf, type Section, writeResults } from './report/report.ts';
import { putBetween, writeImage } from './report/write-docs.ts';
import { allHold, leftOut, tableOf } from './rows.ts';
import { outliveStrayFailures } from './stray-failures.ts';
import { lineChart } from './svg/line-chart.ts';

/**
 * `npm run bench:curves`: how it grows, with pictures; about a quarter of an hour. Exit code 1 when a bar
 * does not hold.
 *   --only NAME  one curve (may be repeated)
 *   --small      a little of everything, to see that it works; leaves docs as they are
 */
demandNode();
outliveStrayFailures();
const CURVES: Readonly<Record<string, Curve>> = {
  connections,
  refusals,
  changes,
  disturbances,
  'stored-keys': storedKeys,
};
const { values: options } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: Object.keys(CURVES) },
  },
});
const unknown = options.only.find((name) => !Object.hasOwn(CURVES, name));
if (unknown !== undefined) {
  console.error(`There is no curve ${unknown}: ${Object.keys(CURVES).join(', ')}.`);
  process.exit(1);
}

const startedAt = performance.now();
const about = machine();
const measured = commit();
console.log(`${machineText(about)}, commit ${measured}\n`);
const sections: Section[] = [];
for (const name of options.only) {
  const begunAt = performance.now();
  const say = (line: string) => console.log(`${name}: ${line}`);
  say('begins');
  try {
    const { rows, picture } = await CURVES[name]!(options.small ? SMALL : WHOLE, say);
    const subtitle = `commit ${measured}, ${about.cpu}, ${about.cores} cores, Node ${about.node}`;
    if (!options.small) writeImage(`curve-${name}`, lineChart({ ...picture, subtitle }));
    sections.push({ scenario: name, seconds: (performance.now() - begunAt) / 1000, rows });
  } catch (error) {
    console.error(error);
    const rows = [leftOut(name, error instanceof Error ? error.message : String(error), true)];
    sections.push({ scenario: name, seconds: (performance.now() - begunAt) / 1000, rows });
  }
}
const report: Report = {
  kind: 'curves',
  takenAt: new Date().toISOString(),
  commit: measured,
  seconds: (performance.now() - startedAt) / 1000,
  machine: about,
  sections,
};
const rows = rowsOf(report);
console.log(`\n${tableOf(rows)}\n\n${Math.round(report.seconds)} s in all`);
writeResults(report);
if (!options.small && options.only.length === Object.keys(CURVES).length)
  putBetween('docs/benchmarks.md', 'curves', curvesOf(report));
process.exit(allHold(rows) ? 0 : 1);
