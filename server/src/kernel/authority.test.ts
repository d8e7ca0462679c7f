import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AccessKeyPrincipal,
  can,
  type GrantedScope,
  holdsScope,
  mayCreate,
  mayGrant,
  type OperatorPrincipal,
  ownProject,
  type Principal,
  type Resource,
  ROLE_SCOPES,
  ROLES,
  requireCreation,
  requireGrant,
  requireScope,
  SCOPES,
  type Scope,
  tenantOf,
  type UserPrincipal,
} from './authority.ts';
import { KeywardError } from './errors.ts';

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

interface Rights {
  readonly scopes?: readonly GrantedScope[];
  readonly projectIds?: readonly string[] | null;
}

const accessKey = ({ scopes = ['*'], projectIds = null }: Rights): AccessKeyPrincipal => ({
  ...{ kind: 'access-key', id: 'ak_1', accountId: 'acc_1' },
  ...{ projectIds, scopes: new Set(scopes) },
});
const person = (rights: Rights): UserPrincipal => ({
  ...accessKey(rights),
  ...{ kind: 'user', id: 'usr_1', sessionId: 'ses_1', role: 'viewer' },
});

function thrownBy(action: () => void): KeywardError | null {
  try {
    action();
    return null;
  } catch (error) {
    if (error instanceof KeywardError) return error;
    throw error;
  }
}

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

  it('hides other accounts, and hides other projects from a key of one project', () => {
    fc.assert(
      fc.property(principal, scope, resource, (who, action, what) => {
        const access = can(withScopes(who, ['*']), action, what);
        if (what.accountId !== who.accountId) expect(access).toBe('hidden');
        else if (who.projectIds === null) expect(access).toBe('allowed');
        else if (what.projectId !== null)
          expect(access).toBe(what.projectId === who.projectIds[0] ? 'allowed' : 'hidden');
        else expect(access).toBe(action === 'accounts:read' ? 'allowed' : 'level_too_low');
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
        const access = can(operator, action, what);
        expect(access).toBe(holdsScope(operator, action) ? 'allowed' : 'scope_missing');
        if (/^(keys|webhooks|analytics):/.test(action)) expect(access).toBe('scope_missing');
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

describe('the operator', () => {
  it('manages accounts and access keys, and reads projects', () => {
    expect(SCOPES.filter((each) => holdsScope(operator, each))).toEqual([
      ...['projects:read', 'accounts:read', 'accounts:write'],
      ...['access-keys:read', 'access-keys:write'],
    ]);
    expect(mayGrant(operator, ['*'])).toBe(true);
  });

  it('belongs to no account', () => {
    expect(thrownBy(() => tenantOf(operator))).toMatchObject({ code: 'scope_missing' });
    const own = accessKey({});
    expect(tenantOf(own)).toBe(own);
  });
});

describe('requireScope', () => {
  const inProject = { accountId: 'acc_1', projectId: 'prj_1' };
  const inAccount = { accountId: 'acc_1', projectId: null };
  const refusal = (who: Principal, action: Scope, what: Resource) =>
    thrownBy(() => requireScope(who, action, what, 'project_not_found'));

  it('throws nothing if the action is allowed', () => {
    expect(refusal(accessKey({}), 'keys:read', inProject)).toBeNull();
  });

  it('reports a hidden resource as not found', () => {
    const other = { accountId: 'acc_2', projectId: 'prj_1' };
    expect(refusal(accessKey({}), 'keys:read', other)).toMatchObject({ code: 'project_not_found' });
  });

  it('names the scope that is missing, and the role of a person', () => {
    const scopes = ['keys:read'] as const;
    expect(refusal(accessKey({ scopes }), 'keys:write', inProject)).toMatchObject({
      code: 'scope_missing',
      message: 'This credential lacks the scope keys:write.',
    });
    expect(refusal(person({ scopes }), 'keys:write', inProject)).toMatchObject({
      code: 'scope_missing',
      message: 'Your role viewer lacks the scope keys:write.',
    });
  });

  it('tells a credential of a project that the call needs the whole account', () => {
    const projectIds = ['prj_1'];
    expect(refusal(accessKey({ projectIds }), 'accounts:read', inAccount)).toBeNull();
    expect(refusal(accessKey({ projectIds }), 'keys:read', inAccount)).toMatchObject({
      code: 'level_too_low',
      message: 'This request needs an account-level access key.',
    });
    expect(refusal(person({ projectIds }), 'keys:read', inAccount)).toMatchObject({
      code: 'level_too_low',
      message: 'This call needs a role in the whole account.',
    });
  });
});

describe('creating a key', () => {
  const apiKey = { kind: 'api-key', accountId: 'acc_1', projectId: 'prj_1' } as const;
  const newAccessKey = { ...apiKey, kind: 'access-key', scopes: ['keys:read'] } as const;

  it('needs the scope for its kind', () => {
    const [forKeys, forAccessKeys] = [['keys:write'], ['access-keys:write', 'keys:read']] as const;
    expect(mayCreate(accessKey({ scopes: forKeys }), apiKey)).toBe(true);
    expect(mayCreate(accessKey({ scopes: forKeys }), newAccessKey)).toBe(false);
    expect(mayCreate(accessKey({ scopes: forAccessKeys }), newAccessKey)).toBe(true);
    expect(mayCreate(accessKey({ scopes: forAccessKeys }), apiKey)).toBe(false);
  });

  it('needs every scope of a new access key', () => {
    const scopes = ['access-keys:write'] as const;
    expect(thrownBy(() => requireCreation(accessKey({ scopes }), newAccessKey))).toMatchObject({
      code: 'grant_exceeds_own',
      message: 'You cannot grant scopes that you do not have. Required: keys:read.',
    });
    const two = ['keys:read', 'keys:write'] as const;
    expect(thrownBy(() => requireGrant(accessKey({ scopes }), two))?.message).toContain(
      'Required: keys:read, keys:write.',
    );
  });

  it('in a hidden project fails as if there were no such project', () => {
    const who = accessKey({ projectIds: ['prj_2'] });
    expect(thrownBy(() => requireCreation(who, apiKey))).toMatchObject({
      code: 'project_not_found',
    });
  });

  it('does not hide errors of the program', () => {
    const broken = { ...accessKey({}), scopes: null } as unknown as AccessKeyPrincipal;
    expect(() => mayCreate(broken, apiKey)).toThrow(TypeError);
  });
});

describe('ownProject', () => {
  it('is the project of a caller that has exactly one', () => {
    expect(ownProject({ projectIds: ['prj_1'] })).toBe('prj_1');
    for (const projectIds of [null, [], ['prj_1', 'prj_2']])
      expect(ownProject({ projectIds })).toBeNull();
  });
});

describe('roles', () => {
  it('have these scopes', () => {
    const READING = SCOPES.filter((each) => each.endsWith(':read'));
    expect(ROLE_SCOPES.owner).toEqual(['*']);
    expect(new Set(SCOPES).difference(new Set(ROLE_SCOPES.admin))).toEqual(
      new Set(['accounts:write']),
    );
    expect(ROLE_SCOPES.developer).toEqual([
      ...READING,
      ...['keys:validate', 'keys:write', 'plans:write', 'customers:write', 'credits:write'],
      'portal:write',
      'webhooks:write',
      'leaks:report',
    ]);
    expect(ROLE_SCOPES.viewer).toEqual(READING);
    expect(READING).toHaveLength(10);
  });

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
