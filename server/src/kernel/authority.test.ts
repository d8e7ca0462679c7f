import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AccessKeyPrincipal,
  can,
  type GrantedScope,
  holdsScope,
  mayGrant,
  type OperatorPrincipal,
  ROLE_SCOPES,
  ROLES,
  SCOPES,
} from './authority.ts';

const scope = fc.constantFrom(...SCOPES);
const granted = fc.uniqueArray(fc.constantFrom<GrantedScope>(...SCOPES, '*'));
const account = fc.constantFrom('acc_1', 'acc_2');
const project = fc.constantFrom('prj_1', 'prj_2');
const level = fc.option(project, { nil: null });
const resource = fc.record({ accountId: account, projectId: level });
const principal: fc.Arbitrary<AccessKeyPrincipal> = fc
  .record({ accountId: account, projectId: level, scopes: granted })
  .map(({ scopes, accountId, projectId }) => ({
    kind: 'access-key',
    id: 'ak_1',
    accountId,
    projectIds: projectId && [projectId],
    scopes: new Set(scopes),
  }));
const operator: OperatorPrincipal = { kind: 'operator', id: 'operator' };

const withScopes = (who: AccessKeyPrincipal, scopes: readonly GrantedScope[]) => ({
  ...who,
  scopes: new Set(scopes),
});

describe('can', () => {
  it('allows nothing without the scope, and checks the scope first', () => {
    fc.assert(
      fc.property(principal, scope, resource, (who, action, what) => {
        const holds = who.scopes.has('*') || who.scopes.has(action);
        expect(can(who, action, what) === 'scope_missing').toBe(!holds);
      }),
    );
  });

  it('hides other accounts, and from a key of one project the other projects', () => {
    fc.assert(
      fc.property(principal, scope, resource, (who, action, what) => {
        const verdict = can(withScopes(who, ['*']), action, what);
        if (what.accountId !== who.accountId) expect(verdict).toBe('hidden');
        else if (who.projectIds === null) expect(verdict).toBe('allowed');
        else if (what.projectId !== null)
          expect(verdict).toBe(what.projectId === who.projectIds[0] ? 'allowed' : 'hidden');
        else expect(verdict).toBe(action === 'accounts:read' ? 'allowed' : 'level_too_low');
      }),
    );
  });

  it('never allows a key of one project more than a key of the whole account', () => {
    fc.assert(
      fc.property(principal, scope, resource, (who, action, what) => {
        fc.pre(can(who, action, what) === 'allowed');
        expect(can({ ...who, projectIds: null }, action, what)).toBe('allowed');
      }),
    );
  });

  it('never allows less with an additional scope', () => {
    fc.assert(
      fc.property(principal, scope, resource, scope, (who, action, what, more) => {
        fc.pre(can(who, action, what) === 'allowed');
        expect(can(withScopes(who, [...who.scopes, more]), action, what)).toBe('allowed');
      }),
    );
  });

  it('denies the operator keys, webhooks and analytics', () => {
    fc.assert(
      fc.property(scope, resource, (action, what) => {
        const verdict = can(operator, action, what);
        expect(verdict).toBe(holdsScope(operator, action) ? 'allowed' : 'scope_missing');
        if (/^(keys|webhooks|analytics):/.test(action)) expect(verdict).toBe('scope_missing');
      }),
    );
  });
});

describe('mayGrant', () => {
  it('never lets a credential create one with more rights than its own', () => {
    fc.assert(
      fc.property(principal, granted, scope, resource, (who, scopes, action, what) => {
        fc.pre(mayGrant(who, scopes));
        const made = withScopes(who, scopes);
        if (can(made, action, what) === 'allowed') expect(can(who, action, what)).toBe('allowed');
      }),
    );
  });

  it('lets every credential grant its own scopes, and * only if it has *', () => {
    fc.assert(
      fc.property(principal, granted, (who, scopes) => {
        expect(mayGrant(who, [...who.scopes])).toBe(true);
        expect(mayGrant(who, ['*'])).toBe(who.scopes.has('*'));
        if (mayGrant(who, scopes))
          for (const part of scopes) expect(mayGrant(who, [part])).toBe(true);
      }),
    );
  });
});

describe('roles', () => {
  it('each have all scopes of the weaker ones', () => {
    for (const [index, role] of ROLES.entries())
      for (const weaker of ROLES.slice(index))
        for (const scope of ROLE_SCOPES[weaker])
          expect([
            ...ROLE_SCOPES[role],
            ...(ROLE_SCOPES[role].includes('*') ? [scope] : []),
          ]).toContain(scope);
  });
});
