import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { commandReference, committedReference, REFERENCE_FILE } from './command-reference.ts';
import { ROOT, runTool } from './run-tool.ts';
import { sdkTypeFiles } from './sdk-types.ts';
import type { TestResults } from './test-results.ts';

/** A check without running tests. `run` returns what is wrong, or null. */
interface StaticCheck {
  readonly name: string;
  run(): Promise<string | null>;
}

const byTool = (name: string, command: string, args: readonly string[]): StaticCheck => ({
  name,
  async run() {
    const { code, stdout, stderr } = await runTool(command, args);
    if (code === 0) return null;
    return [stdout, stderr].join('').trim() || `${command} ended with ${code}`;
  },
});

const API_FILE = 'docs/openapi.json';

const openapiCheck: StaticCheck = {
  name: 'openapi',
  async run() {
    const printed = await runTool('node', ['server/bin/keyward.mjs', 'openapi']);
    if (printed.code !== 0) return printed.stderr.trim() || '`npx keyward openapi` failed';
    const committed = await readFile(join(ROOT, API_FILE), 'utf8').catch(() => '');
    if (printed.stdout === committed) return null;
    return [
      `${API_FILE} differs from the schemas, first at line ${firstDifference(printed.stdout, committed)}.`,
      `Write it again with: npm run openapi`,
    ].join('\n');
  },
};

/** Compares with the committed description, which the check above compares with the schemas. */
const sdkTypesCheck: StaticCheck = {
  name: 'sdk types',
  async run() {
    for (const [path, text] of await sdkTypeFiles()) {
      const committed = await readFile(join(ROOT, path), 'utf8').catch(() => '');
      if (text === committed) continue;
      return `${path} is not up to date, first at line ${firstDifference(text, committed)}.\nWrite it again with: npm run openapi`;
    }
    return null;
  },
};

const commandReferenceCheck: StaticCheck = {
  name: 'command reference',
  async run() {
    const text = commandReference();
    const committed = committedReference();
    if (text === committed) return null;
    return `${REFERENCE_FILE} differs from the help of the commands, first at line ${firstDifference(text, committed)}.\nWrite it again with: npm run openapi`;
  },
};

function firstDifference(a: string, b: string): number {
  const left = a.split('\n');
  const right = b.split('\n');
  return left.findIndex((line, index) => line !== right[index]) + 1 || left.length + 1;
}

/** Several threads would need twice the processor time, and other checks run beside it. */
const TSC_ARGUMENTS = ['--noEmit', '--singleThreaded'];

/**
 * The server, its tests, the scripts and the benchmarks are one TypeScript project. The others are
 * separate, each with the globals of its environment, so that types of a framework do not leak into the
 * server.
 */
const typeChecks = (): StaticCheck[] =>
  ['.', 'sdk', 'sdk/test', 'examples', 'dashboard']
    .filter((folder) => existsSync(join(ROOT, folder, 'tsconfig.json')))
    .map((folder) =>
      byTool(folder === '.' ? 'tsc' : `tsc ${folder}`, 'tsc', ['-p', folder, ...TSC_ARGUMENTS]),
    );

const staticChecks = (): StaticCheck[] => [
  byTool('biome', 'biome', ['check', '--error-on-warnings']),
  ...typeChecks(),
  byTool('depcruise', 'depcruise', [
    ...['--config', '.dependency-cruiser.mjs'],
    ...['rules/src', 'server/src', 'sdk/src', 'dashboard/src'],
  ]),
  byTool('knip', 'knip', ['--no-progress']),
  openapiCheck,
  sdkTypesCheck,
  commandReferenceCheck,
];

/** Each check keeps one core busy. */
const AT_ONCE = Math.min(4, availableParallelism());

/** Prints one line for each check that passes, and the whole output of each that fails. */
export async function runStaticChecks(): Promise<TestResults> {
  let passed = 0;
  const notes: string[] = [];
  const waiting = staticChecks();
  const runNext = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const problem = await check.run();
      if (problem === null) {
        passed++;
        console.log(`ok  ${check.name}`);
      } else {
        console.log(`FAILED  ${check.name}\n${problem}\n`);
        notes.push(`check: ${check.name}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  return { passed, failed: notes.length, notes };
}
