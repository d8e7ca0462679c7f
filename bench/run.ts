import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { demandNode } from '../scripts/node-version.ts';
import { staleFor } from './built.ts';
import { carryOut } from './carry-out.ts';
import { CATALOGUE } from './catalogue.ts';
import { endBacking } from './cluster-backing.ts';
import { commit, machine, machineText } from './machine.ts';
import { planOf, RUNS } from './plan.ts';
import { RESULTS, type Report, rowsOf, writeResults } from './report/report.ts';
import { writeDocs } from './report/write-docs.ts';
import { allHold, tableOf } from './rows.ts';
import { outliveStrayFailures } from './stray-failures.ts';

/**
 * `npm run bench`: every scenario in turn, a table, and exit code 1 when a bar does not hold. A
 * full run also writes its figures into README and docs/benchmarks.md.
 *   --quick      smaller, and without what cannot be small, within 90 seconds
 *   --soak       half load for an hour, and nothing else
 *   --only NAME  one scenario (may be repeated)
 *   --profile    a CPU profile of the server under validation, and where its time went
 *   --no-docs    leaves README and docs as they are
 */
demandNode();
outliveStrayFailures();
const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    quick: { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: true },
    only: { type: 'string', multiple: true, default: [] },
  },
});
const names = CATALOGUE.map(({ name }) => name);
const unknown = options.only.find((name) => !names.includes(name));
if (unknown !== undefined) {
  console.error(`There is no scenario ${unknown}: ${names.join(', ')}.`);
  process.exit(1);
}

const kind = options.soak ? 'soak' : options.quick ? 'quick' : 'full';
const steps = planOf(CATALOGUE, kind, options.only);
const stale = staleFor(steps.flatMap((step) => ('leftOut' in step ? [] : [step.entry.name])));
if (stale.length > 0) {
  console.error(`Older than its sources: ${stale.join(', ')}. Run npm run build first.`);
  process.exit(1);
}

const startedAt = performance.now();
const about = machine();
console.log(`${machineText(about)}, commit ${commit()}\n`);
mkdirSync(RESULTS, { recursive: true });
const sections = await carryOut({
  ...RUNS[kind],
  steps,
  profileFile: options.profile ? join(RESULTS, 'validation.cpuprofile') : null,
});
await endBacking();
const report: Report = {
  kind,
  takenAt: new Date().toISOString(),
  commit: commit(),
  seconds: (performance.now() - startedAt) / 1000,
  machine: about,
  sections,
};
const rows = rowsOf(report);
console.log(`\n${tableOf(rows)}\n\n${Math.round(report.seconds)} s in all`);
writeResults(report);
if (kind === 'full' && options.only.length === 0 && options.docs) writeDocs(report);
process.exit(allHold(rows) ? 0 : 1);
