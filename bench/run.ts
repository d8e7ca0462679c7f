import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { demandNode } from '../scripts/node-version.ts';
import { machine } from './machine.ts';
import { allHold, type Row, tableOf } from './rows.ts';
import { type Bench, FULL, QUICK, type Scenario } from './scenario.ts';
import { audit } from './scenarios/audit.ts';
import { cluster } from './scenarios/cluster.ts';
import { dashboardKeys } from './scenarios/dashboard-keys.ts';
import { deliveries } from './scenarios/deliveries.ts';
import { deliveriesHanging } from './scenarios/deliveries-hanging.ts';
import { deliveriesWaiting } from './scenarios/deliveries-waiting.ts';
import { importing } from './scenarios/import.ts';
import { list } from './scenarios/list.ts';
import { local } from './scenarios/local.ts';
import { localRevocation } from './scenarios/local-revocation.ts';
import { memory } from './scenarios/memory.ts';
import { middleware } from './scenarios/middleware.ts';
import { revocation } from './scenarios/revocation.ts';
import { start } from './scenarios/start.ts';
import { usageDistinct } from './scenarios/usage-distinct.ts';
import { usageTally } from './scenarios/usage-tally.ts';
import { usageTotals } from './scenarios/usage-totals.ts';
import { validation } from './scenarios/validation.ts';
import { validationWhileDelivering } from './scenarios/validation-while-delivering.ts';

/**
 * `npm run bench`: every scenario in turn, a table, and exit code 1 when a bar does not hold.
 *   --quick      shorter rounds and fewer of them, within 90 seconds
 *   --only NAME  one scenario (may be repeated)
 *   --profile    a CPU profile of the server under validation, and where its time went
 */
demandNode();
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  validation,
  memory,
  start,
  list,
  'dashboard-keys': dashboardKeys,
  import: importing,
  audit,
  'usage-tally': usageTally,
  'usage-distinct': usageDistinct,
  'usage-totals': usageTotals,
  deliveries,
  'deliveries-hanging': deliveriesHanging,
  'deliveries-waiting': deliveriesWaiting,
  'validation-while-delivering': validationWhileDelivering,
  cluster,
  revocation,
  local,
  'local-revocation': localRevocation,
  middleware,
};
const RESULTS = fileURLToPath(new URL('results/', import.meta.url));

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: Object.keys(SCENARIOS) },
  },
});
const unknown = options.only.find((name) => !Object.hasOwn(SCENARIOS, name));
if (unknown !== undefined) {
  console.error(`There is no scenario ${unknown}: ${Object.keys(SCENARIOS).join(', ')}.`);
  process.exit(1);
}

const limitSeconds = options.quick ? 90 : 900;
setTimeout(() => {
  console.error(`The benchmark took longer than ${limitSeconds} s and was ended.`);
  process.exit(1);
}, limitSeconds * 1000).unref();

mkdirSync(RESULTS, { recursive: true });
const profileFile = options.profile ? join(RESULTS, 'validation.cpuprofile') : null;

const about = machine();
console.log(`${about.cpu}, ${about.cores} cores, ${about.memoryGb} GB, Node ${about.node}\n`);
const rows: Row[] = [];
for (const name of options.only) {
  const say = (line: string) => console.log(`${name}: ${line}`);
  const bench: Bench = { scale: options.quick ? QUICK : FULL, profileFile, say };
  say('begins');
  rows.push(...(await SCENARIOS[name]!(bench)));
}

console.log(`\n${tableOf(rows)}`);
const report = { takenAt: new Date().toISOString(), quick: options.quick, machine: about, rows };
writeFileSync(join(RESULTS, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`);
process.exit(allHold(rows) ? 0 : 1);
