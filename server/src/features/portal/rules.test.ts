import { Grants, isMet, readRequirement } from '@keyward/rules/permissions.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AccessKeyPrincipal,
  type GrantedScope,
  PORTAL_ACTIONS,
  PORTAL_SCOPES,
  SCOPES,
} from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import { cappedPermissions, checkReturnUrl, grantedActions } from './rules.ts';

const segment = fc.constantFrom('a', 'b', 'ab');
const separator = fc.constantFrom('.', ':');
const name = fc
  .tuple(segment, fc.array(fc.tuple(separator, segment), { maxLength: 2 }))
  .map(([first, rest]) => first + rest.map(([between, next]) => between + next).join(''));
const grant = fc.oneof(
  { weight: 4, arbitrary: name },
  { weight: 4, arbitrary: fc.tuple(name, separator).map(([text, end]) => `${text}${end}*`) },
  { weight: 1, arbitrary: fc.constant('*') },
);
const grants = fc.array(grant, { minLength: 1, maxLength: 3 });

const outcomeOf = <T>(work: () => T): T | 'refused' => {
  try {
    return work();
  } catch (error) {
    if (error instanceof KeywardError && error.code === 'grant_exceeds_own') return 'refused';
    throw error;
  }
};

describe('the permissions of a key created under a cap', () => {
  it('grant nothing that the cap does not grant', () => {
    fc.assert(
      fc.property(
        grants,
        fc.option(grants, { nil: undefined }),
        name,
        (cap, requested, required) => {
          const given = outcomeOf(() => cappedPermissions(cap, requested));
          if (given === 'refused') return;
          expect(given).not.toBeNull();
          expect(given).not.toEqual([]);
          const requirement = readRequirement(required);
          if (isMet(requirement, new Grants(given!)))
            expect(isMet(requirement, new Grants(cap))).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('are refused only if they would grant more', () => {
    fc.assert(
      fc.property(grants, fc.subarray(['a', 'a.b', 'b:a.ab']), (cap, requested) => {
        if (requested.length === 0) return;
        const held = new Grants(cap);
        const isWithin = requested.every((each) => isMet(readRequirement(each), held));
        expect(outcomeOf(() => cappedPermissions(cap, requested))).toEqual(
          isWithin ? requested : 'refused',
        );
      }),
    );
  });

  it('are the cap if none are requested, and are inherited without a cap', () => {
    expect(cappedPermissions(['a.*'], undefined)).toEqual(['a.*']);
    expect(cappedPermissions(null, undefined)).toBeNull();
    expect(outcomeOf(() => cappedPermissions(null, ['a']))).toBe('refused');
  });
});

describe('the actions of a session', () => {
  it('are never more than the scopes of its creator', () => {
    const scopes = fc.uniqueArray(fc.constantFrom<GrantedScope>(...SCOPES, '*'));
    const requests = fc.option(fc.subarray([...PORTAL_ACTIONS], { minLength: 1 }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(scopes, requests, (held, requested) => {
        const principal: AccessKeyPrincipal = {
          ...{ kind: 'access-key', id: 'ak_1', accountId: 'acc_1', projectIds: null },
          scopes: new Set(held),
        };
        const may = PORTAL_ACTIONS.filter(
          (action) => held.includes('*') || held.includes(PORTAL_SCOPES[action]),
        );
        const actions = outcomeOf(() => grantedActions(principal, requested));
        const wanted = requested ?? may;
        const isAllowed = wanted.length > 0 && wanted.every((action) => may.includes(action));
        expect(actions).toEqual(isAllowed ? wanted : 'refused');
      }),
    );
  });
});

describe('returnUrl', () => {
  const origins = ['https://app.example.com', 'http://localhost:3000'];
  it.each(['https://app.example.com/settings?tab=keys#top', 'http://localhost:3000/'])(
    'accepts %s',
    (url) => {
      expect(checkReturnUrl(url, origins)).toBe(url);
    },
  );
  it.each([
    'https://other.example/',
    'https://app.example.com:8443/',
    'http://app.example.com/',
    'https://app.example.com@evil.example/',
    'https://user:pass@app.example.com/',
    '//app.example.com/',
    'javascript:alert(1)',
    'data:text/html,x',
    '/settings',
  ])('rejects %s', (url) => {
    expect(() => checkReturnUrl(url, origins)).toThrow(KeywardError);
  });
});
