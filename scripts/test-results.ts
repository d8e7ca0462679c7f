/** The result of a run: gives its last line and its exit code. */
export interface TestResults {
  readonly passed: number;
  readonly failed: number;
  /** Explains failures without a failed assertion. */
  readonly notes: readonly string[];
}

/** The part of Vitest's JSON report that we read. */
export interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/**
 * Counts a report. Skipped, pending and todo tests count as failed, because a test that does not run
 * proves nothing. So do a file that could not be loaded, an error outside any test (`exitCode`), and a
 * run without tests.
 */
export function resultsOf(report: VitestReport, exitCode: number): TestResults {
  let passed = 0;
  let failed = 0;
  const notes: string[] = [];
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      if (test.status === 'passed') {
        passed++;
        continue;
      }
      failed++;
      if (test.status !== 'failed') notes.push(`${test.status}: ${file.name}: ${test.fullName}`);
    }
    const blamed = file.assertionResults.some(({ status }) => status !== 'passed');
    if (file.assertionResults.length === 0 || (file.status === 'failed' && !blamed)) {
      failed++;
      notes.push(`the file did not run to its end: ${file.name}`);
    }
  }
  if (passed + failed === 0) {
    failed++;
    notes.push('no test ran');
  }
  if (exitCode !== 0 && failed === 0) {
    failed++;
    notes.push(`Vitest ended with ${exitCode}: an error outside any test, see above`);
  }
  return { passed, failed, notes };
}

export const sumOf = (all: readonly TestResults[]): TestResults => ({
  passed: all.reduce((sum, { passed }) => sum + passed, 0),
  failed: all.reduce((sum, { failed }) => sum + failed, 0),
  notes: all.flatMap(({ notes }) => notes),
});

/** Prints the notes and, as the last line, the counts that scripts read. */
export function finish(results: TestResults): void {
  for (const note of results.notes) console.log(`not passed  ${note}`);
  console.log(`${results.passed} passed, ${results.failed} failed`);
  process.exitCode = results.failed === 0 ? 0 : 1;
}
