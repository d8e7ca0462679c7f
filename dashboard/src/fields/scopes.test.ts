import { describe, expect, it } from 'vitest';
import { allScopes, grantableBy, PRESETS, presetOf, SCOPE_GROUPS, scopesText } from './scopes.ts';

describe('scopes', () => {
  it('belong to exactly one group', () => {
    expect(SCOPE_GROUPS.flatMap(({ scopes }) => scopes).toSorted()).toEqual(allScopes.toSorted());
  });

  it('are shown as their preset, in any order', () => {
    for (const [name, { scopes }] of Object.entries(PRESETS))
      expect(presetOf(scopes.toReversed())).toBe(name);
    expect(presetOf(['keys:read'])).toBe('custom');
    expect(scopesText(['keys:read'])).toBe('keys:read');
    expect(scopesText(['keys:read', 'audit:read', 'keys:validate'])).toBe('keys:read and 2 more');
  });

  it('can be granted only by roles that have them', () => {
    expect(grantableBy('owner').has('*')).toBe(true);
    expect(grantableBy('admin').has('*')).toBe(false);
    expect(grantableBy('admin').has('accounts:write')).toBe(false);
    expect(grantableBy('admin').has('access-keys:write')).toBe(true);
  });
});
