import { describe, expect, it } from 'vitest';
import { allScopes, grantableBy, PRESETS, presetOf, SCOPE_GROUPS, scopesText } from './scopes.ts';

describe('the scopes on the page', () => {
  it('stand in one group each', () => {
    expect(SCOPE_GROUPS.flatMap(({ scopes }) => scopes).toSorted()).toEqual(allScopes.toSorted());
  });

  it('are told as the preset they make up, in any order', () => {
    for (const [name, { scopes }] of Object.entries(PRESETS))
      expect(presetOf(scopes.toReversed())).toBe(name);
    expect(presetOf(['keys:read'])).toBe('custom');
    expect(scopesText(['keys:read'])).toBe('keys:read');
    expect(scopesText(['keys:read', 'audit:read', 'keys:validate'])).toBe('keys:read and 2 more');
  });

  it('can be handed on only by those who hold them', () => {
    expect(grantableBy('owner').has('*')).toBe(true);
    expect(grantableBy('admin').has('*')).toBe(false);
    expect(grantableBy('admin').has('accounts:write')).toBe(false);
    expect(grantableBy('admin').has('access-keys:write')).toBe(true);
  });
});
