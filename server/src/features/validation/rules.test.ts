import { CHECKS, NO_CONDITIONS } from '@keyward/rules/check-key.ts';
import { NO_GRANTS, readRequirement } from '@keyward/rules/permissions.ts';
import { describe, expect, it } from 'vitest';
import { type Decidable, decide, explain } from './rules.ts';

const NOW = 1_000_000;

const UNRESTRICTED: Decidable = {
  project: { id: 'prj_1', isActive: true },
  isActive: true,
  startsAt: null,
  expiresAt: null,
  allowedDomains: null,
  allowedIPs: null,
  grants: NO_GRANTS,
};
const requiring = { ...NO_CONDITIONS, requirement: readRequirement('documents.read') };

describe('decide', () => {
  it('reports the code of the check that fails', () => {
    expect(decide(UNRESTRICTED, null, NO_CONDITIONS, NOW)).toBeNull();
    expect(decide(UNRESTRICTED, null, requiring, NOW)).toBe('permission_denied');
  });

  it('hides keys of other projects from a caller that is restricted to some projects', () => {
    const decideFor = (projectIds: readonly string[], key = UNRESTRICTED) =>
      decide(key, projectIds, NO_CONDITIONS, NOW);
    expect(decideFor(['prj_2', 'prj_1'])).toBeNull();
    expect(decideFor(['prj_2'])).toBe('key_not_found');
    expect(decideFor(['prj_2'], { ...UNRESTRICTED, isActive: false })).toBe('key_not_found');
    expect(decideFor([])).toBe('key_not_found');
  });
});

describe('explain', () => {
  const explained = (key: Partial<Decidable>, limits = true, credits = true) =>
    explain({ ...UNRESTRICTED, ...key }, requiring, NOW, { limits, credits });
  const results = (checks: ReturnType<typeof explain>) => checks.map(({ passed }) => passed);

  it('names every check with its code, in order', () => {
    const named = explained({}).map(({ code, check }) => [code, check]);
    expect(named).toEqual(Object.entries(CHECKS));
  });

  it('skips the checks after the first that fails', () => {
    const skipped = new Array(8).fill(null);
    expect(results(explained({ project: { id: 'prj_1', isActive: false } }, false))).toEqual([
      false,
      ...skipped,
    ]);
    expect(results(explained({ isActive: false }))).toEqual([true, false, ...skipped.slice(1)]);
    expect(results(explained({}, false))).toEqual([...new Array(6).fill(true), false, null, null]);
  });

  it('reports a limit before credits', () => {
    const of = (limits: boolean, credits: boolean) =>
      results(explain(UNRESTRICTED, NO_CONDITIONS, NOW, { limits, credits })).slice(6);
    expect(of(true, true)).toEqual([true, true, true]);
    expect(of(false, false)).toEqual([true, false, null]);
    expect(of(true, false)).toEqual([true, true, false]);
  });
});
