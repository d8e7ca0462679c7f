import { describe, expect, it } from 'vitest';
import { sumOf, tallyOf } from './test-tally.ts';

const file = (name: string, statuses: readonly string[], status = 'passed') => ({
  name,
  status,
  assertionResults: statuses.map((each, index) => ({
    fullName: `test ${index + 1}`,
    status: each,
  })),
});

describe('the tally of a test run', () => {
  it('counts passed and failed tests', () => {
    const report = { testResults: [file('a', ['passed', 'failed'], 'failed')] };
    expect(tallyOf(report, 1)).toEqual({ passed: 1, failed: 1, notes: [] });
  });

  it.each(['skipped', 'pending', 'todo'])('counts a %s test as failed and names it', (status) => {
    const tally = tallyOf({ testResults: [file('a', ['passed', status])] }, 0);
    expect(tally).toEqual({ passed: 1, failed: 1, notes: [`${status}: a: test 2`] });
  });

  it('fails when no test ran', () => {
    expect(tallyOf({ testResults: [] }, 0)).toEqual({
      passed: 0,
      failed: 1,
      notes: ['no test ran'],
    });
  });

  it('counts a file that could not be loaded', () => {
    const report = { testResults: [file('a', [], 'failed'), file('b', ['passed'])] };
    expect(tallyOf(report, 1)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('counts a file whose tests passed but whose hooks failed', () => {
    const report = { testResults: [file('a', ['passed'], 'failed')] };
    expect(tallyOf(report, 1)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('counts an error outside any test', () => {
    const report = { testResults: [file('a', ['passed'])] };
    expect(tallyOf(report, 1)).toMatchObject({ passed: 1, failed: 1 });
    expect(tallyOf(report, 0)).toMatchObject({ passed: 1, failed: 0 });
  });

  it('adds tallies up', () => {
    const sum = sumOf([
      { passed: 2, failed: 0, notes: [] },
      { passed: 3, failed: 1, notes: ['x'] },
    ]);
    expect(sum).toEqual({ passed: 5, failed: 1, notes: ['x'] });
  });
});
