import { describe, expect, it } from 'vitest';
import { CATALOGUE, type Entry } from './catalogue.ts';
import { planOf, RUNS } from './plan.ts';

const run = async () => [];
const small: Entry = { name: 'small', run, seconds: 50, quickSeconds: 5 };
const large: Entry = { name: 'large', run, seconds: 60, quickSeconds: null };
const soak: Entry = { name: 'soak', run, seconds: 70, quickSeconds: null };
const all = [small, large, soak];

describe('the plan of a run', () => {
  it('does everything in a full run, in order', () => {
    expect(planOf(all, 'full', [])).toEqual(
      all.map((entry) => ({ entry, seconds: entry.seconds })),
    );
  });

  it('names what a quick run leaves out', () => {
    expect(planOf(all, 'quick', [])).toEqual([
      { entry: small, seconds: 5 },
      { entry: large, leftOut: 'left out of --quick' },
      { entry: soak, leftOut: 'left out of --quick' },
    ]);
  });

  it('does what is asked for by name, quick or not', () => {
    expect(planOf(all, 'quick', ['large'])).toEqual([{ entry: large, seconds: 60 }]);
    expect(planOf(all, 'full', ['large'])).toEqual([{ entry: large, seconds: 60 }]);
  });

  it('soaks and does nothing else', () => {
    expect(planOf(all, 'soak', [])).toEqual([{ entry: soak, seconds: RUNS.soak.limitSeconds }]);
  });
});

describe('the budgets of the catalogue', () => {
  const sum = (of: (entry: Entry) => number) => CATALOGUE.reduce((s, entry) => s + of(entry), 0);

  it('fit the runs that they are for, with room for what takes longer once', () => {
    expect(sum(({ seconds }) => seconds)).toBeLessThanOrEqual(RUNS.full.limitSeconds - 30);
    expect(sum(({ quickSeconds }) => quickSeconds ?? 0)).toBeLessThanOrEqual(
      RUNS.quick.limitSeconds,
    );
  });

  it('names each scenario once', () => {
    expect(new Set(CATALOGUE.map(({ name }) => name)).size).toBe(CATALOGUE.length);
  });
});
