import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { requireNodeVersion } from '../scripts/node-version.ts';
import { ensureTool } from '../scripts/test-tools.ts';
import { stopBackends } from './cluster.ts';
import { cleanUp, isPinned } from './processes.ts';
import {
  allRows,
  formatReport,
  formatTable,
  isMet,
  notMeasured,
  type Report,
  replaceBetweenMarkers,
  type Section,
} from './report.ts';
import { Bench, FULL, QUICK, type Scale } from './scenario.ts';
import { SCENARIOS } from './scenarios/index.ts';

/**
 * `npm run bench` runs the scenarios and prints a Markdown report. Exit code 1: a target is missed.
 *   --all          also the extra scenarios
 *   --only NAME    one scenario; may be repeated
 *   --quick        a short run that shows that everything works
 *   --stored N     number of keys in the stored-keys scenarios and usage, 1,000,000 unless given
 *   --write-docs   like --all, and writes the report into docs/benchmarks.md
 */
const ROOT = join(import.meta.dirname, '..');
/** A scenario that takes this many times its planned seconds is given up. */
const TIME_LIMIT_FACTOR = 5;

requireNodeVersion();
const { values: options } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    stored: { type: 'string' },
    'write-docs': { type: 'boolean', default: false },
  },
});
const unknown = options.only.find((name) => !SCENARIOS.some((each) => each.name === name));
if (unknown !== undefined) {
  console.error(`No scenario ${unknown}. Use: ${SCENARIOS.map(({ name }) => name).join(', ')}.`);
  process.exit(1);
}
if (options['write-docs'] && options.only.length > 0) {
  console.error('--write-docs writes a full report. Omit --only.');
  process.exit(1);
}
await ensureTool('wrk');
// Work that a failed scenario left running may fail later. The report already has the error of the scenario.
process.on('unhandledRejection', (error) => console.error('after a failure:', error));

const scale = options.quick ? QUICK : FULL;
const startedAt = performance.now();
const machine = describeMachine();
console.log(machine);
const sections: Section[] = [];
for (const { name, run, seconds, isExtra = false } of SCENARIOS)
  if (
    options.only.length > 0
      ? options.only.includes(name)
      : options.all || options['write-docs'] || !isExtra
  )
    sections.push(await runScenario(name, run, seconds, scaleOf(scale)));

const report: Report = {
  commit: commit(),
  date: new Date().toISOString().slice(0, 10),
  machine,
  seconds: (performance.now() - startedAt) / 1000,
  sections,
};
console.log(`\n${formatReport(report)}`);
mkdirSync(join(ROOT, 'bench/results'), { recursive: true });
writeFileSync(join(ROOT, 'bench/results/latest.json'), `${JSON.stringify(report, null, 2)}\n`);
if (options['write-docs']) {
  writeInto('docs/benchmarks.md', formatReport(report));
}
process.exit(allRows(report).every(isMet) ? 0 : 1);

function scaleOf(base: Scale): Scale {
  return options.stored === undefined ? base : { ...base, storedKeys: Number(options.stored) };
}

async function runScenario(
  name: string,
  run: (typeof SCENARIOS)[number]['run'],
  seconds: number,
  size: Scale,
): Promise<Section> {
  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / 1000;
  const log = (line: string) => console.log(`${name} ${elapsed().toFixed(0)} s: ${line}`);
  const timer = Promise.withResolvers<never>();
  const timeLimitMs = options.stored === undefined ? TIME_LIMIT_FACTOR * seconds * 1000 : 3_600_000;
  const timeout = setTimeout(() => timer.reject(new Error('took too long')), timeLimitMs);
  try {
    const rows = await Promise.race([run(new Bench(size, seconds, log)), timer.promise]);
    console.log(`${formatTable(rows)}\n`);
    return { scenario: name, seconds: elapsed(), rows };
  } catch (error) {
    // Other scenarios still run: one failure must not cost all figures.
    log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    const note = error instanceof Error ? error.message.split('\n', 1)[0]! : String(error);
    return { scenario: name, seconds: elapsed(), rows: [notMeasured(name, note, {})] };
  } finally {
    clearTimeout(timeout);
    await cleanUp();
    await stopBackends();
    log('done');
  }
}

function writeInto(path: string, text: string): void {
  const file = join(ROOT, path);
  writeFileSync(file, replaceBetweenMarkers(readFileSync(file, 'utf8'), text));
}

function describeMachine(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  return [
    `${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, ${memory} GB`,
    `Linux ${release()}, Node ${process.version}`,
    isPinned ? 'server and load on separate cores' : 'no pinned cores',
    `load average ${loadavg()[0]!.toFixed(1)} before the run`,
  ].join(', ');
}

function commit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  try {
    const isModified = git('status', '--porcelain', '--', '.', ':!docs') !== '';
    return git('rev-parse', '--short=10', 'HEAD') + (isModified ? ' with changes' : '');
  } catch {
    return 'unknown';
  }
}
