import { describe, expect, it } from 'vitest';
import { resultsOf, sumOf } from './test-results.ts';

const file = (name: string, statuses: readonly string[], status = 'passed') => ({
  name,
  status,
  assertionResults: statuses.map((each, index) => ({
    fullName: `test ${index + 1}`,
    status: each,
  })),
});

describe('the results of a test run', () => {
  it('counts passed and failed tests', () => {
    const report = { testResults: [file('a', ['passed', 'failed'], 'failed')] };
    expect(resultsOf(report, 1)).toEqual({ passed: 1, failed: 1, notes: [] });
  });

  it.each(['skipped', 'pending', 'todo'])('counts a %s test as failed and names it', (status) => {
    const results = resultsOf({ testResults: [file('a', ['passed', status])] }, 0);
    expect(results).toEqual({ passed: 1, failed: 1, notes: [`${status}: a: test 2`] });
  });

  it('fails when no test ran', () => {
    expect(resultsOf({ testResults: [] }, 0)).toEqual({
      passed: 0,
      failed: 1,
      notes: ['no test ran'],
    });
  });

  it('counts a file that could not be loaded', () => {
    const report = { testResults: [file('a', [], 'failed'), file('b', ['passed'])] };
    expect(resultsOf(report, 1)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('counts a file whose tests passed but whose hooks failed', () => {
    const report = { testResults: [file('a', ['passed'], 'failed')] };
    expect(resultsOf(report, 1)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('counts an error outside any test', () => {
    const report = { testResults: [file('a', ['passed'])] };
    expect(resultsOf(report, 1)).toMatchObject({ passed: 1, failed: 1 });
    expect(resultsOf(report, 0)).toMatchObject({ passed: 1, failed: 0 });
  });

  it('adds all up', () => {
    const sum = sumOf([
      { passed: 2, failed: 0, notes: [] },
      { passed: 3, failed: 1, notes: ['x'] },
    ]);
    expect(sum).toEqual({ passed: 5, failed: 1, notes: ['x'] });
  });
});
