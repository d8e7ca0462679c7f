import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from './run-tool.ts';
import { slowWithoutReason } from './slow-tests.ts';
import { resultsOf, type TestResults, type VitestReport } from './test-results.ts';

const COMPILED = fileURLToPath(new URL('../node_modules/.cache/compiled-tests', import.meta.url));

/** Runs the tests of these Vitest projects, and shows the progress. */
export async function runVitest(
  projects: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<TestResults> {
  const folder = await mkdtemp(join(tmpdir(), 'keyward-test-'));
  const reportFile = join(folder, 'report.json');
  const cpuFile = join(folder, 'cpu');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  try {
    const filters = projects.map((name) => `--project=${name}`);
    const { code } = await runTool('vitest', ['run', ...reporters, ...filters], {
      // Shared by all test processes, so that each module is compiled once.
      env: { NODE_COMPILE_CACHE: COMPILED, TEST_CPU_FILE: cpuFile, ...env },
      show: true,
    });
    const measured = await readFile(cpuFile, 'utf8').catch(() => '');
    for (const slow of await slowWithoutReason(measured)) console.log(slow);
    return resultsOf(await readReport(reportFile), code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readReport(file: string): Promise<VitestReport> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as VitestReport;
  } catch {
    // Vitest crashed before it wrote the report: resultsOf reports "no test ran".
    return { testResults: [] };
  }
}
