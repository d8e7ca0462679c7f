import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { ROOT } from './run-tool.ts';

/** Vitest runs this in each test file of the first tier: it writes down how much CPU its tests took. */
const file = process.env.TEST_CPU_FILE;
let before = 0;
beforeAll(() => {
  before = cpuSeconds();
});
afterAll(() => {
  if (file === undefined) return;
  const path = relative(ROOT, expect.getState().testPath ?? '');
  appendFileSync(file, `${(cpuSeconds() - before).toFixed(1)} ${path}\n`);
});

/** Of this process, its threads and, on Linux, the processes that it started and that have ended. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + (process.platform === 'linux' ? secondsOfChildren() : 0);
}

function secondsOfChildren(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The name of the command, in parentheses, may contain spaces. Times are in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
