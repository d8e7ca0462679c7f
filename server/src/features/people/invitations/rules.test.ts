import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AccessKeyPrincipal,
  type GrantedScope,
  ROLE_SCOPES,
  ROLES,
  type Role,
} from '../../../kernel/authority.ts';
import {
  INVITATION_LIFE_MS,
  invitationLink,
  readEmails,
  requireInvite,
  requireRoleGrant,
  resourceOf,
  statusAt,
} from './rules.ts';

const accessKey = (
  projectId: string | null,
  scopes: readonly GrantedScope[] = ['*'],
): AccessKeyPrincipal => ({
  kind: 'access-key',
  id: 'ak_1',
  accountId: 'acc_mine',
  projectIds: projectId === null ? null : [projectId],
  scopes: new Set(scopes),
});

const refusal = (code: string) => expect.objectContaining({ code });

describe('addresses', () => {
  it('are trimmed, in lower case and without duplicates, in the given order', () => {
    expect(readEmails([' Ada@Example.COM ', 'b@x.io', 'ada@example.com'])).toEqual([
      'ada@example.com',
      'b@x.io',
    ]);
  });

  it.each([
    'a@b.co',
    'first.last+tag@mail.example.com',
    "o'hara@example.ie",
    'grüße@bücher.example',
    `${'l'.repeat(64)}@example.com`,
  ])('may be %s', (email) => expect(readEmails([email])).toEqual([email]));

  it.each([
    '',
    '   ',
    'ada',
    '@example.com',
    'ada@',
    'ada@localhost',
    'ada@example..com',
    'ada@-example.com',
    'ada@example.com.',
    '.ada@example.com',
    'a..b@example.com',
    'a@b@example.com',
    'ada lovelace@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'a\u0000b@example.com',
    'Ada <ada@example.com>',
    'ada@example.com,eve@example.com',
    `${'l'.repeat(65)}@example.com`,
    `a@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(20)}.com`,
  ])('are rejected if one is %j, with an error that names it', (email) => {
    expect(() => readEmails(['ok@example.com', email])).toThrow(refusal('invalid_body'));
    expect(() => readEmails(['ok@example.com', email])).toThrow(JSON.stringify(email));
  });

  it('are normalized or rejected, for any input', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.emailAddress())), (texts) => {
        let emails: string[];
        try {
          emails = readEmails(texts);
        } catch (error) {
          expect(error).toEqual(refusal('invalid_body'));
          return;
        }
        expect(new Set(emails).size).toBe(emails.length);
        for (const email of emails) {
          expect(email).toMatch(/^[^\s\p{C}<>,;]+@[^\s\p{C}@]+\.[^\s\p{C}@]+$/u);
          expect(email.length).toBeLessThanOrEqual(254);
        }
      }),
    );
  });
});

describe('the status', () => {
  const row = { status: 'pending' as const, expires_at: INVITATION_LIFE_MS };

  it('is expired from the exact time of expiry', () => {
    expect(statusAt(row, INVITATION_LIFE_MS - 1)).toBe('pending');
    expect(statusAt(row, INVITATION_LIFE_MS)).toBe('expired');
  });

  it.each(['accepted', 'cancelled'] as const)('%s does not change with time', (status) => {
    expect(statusAt({ ...row, status }, INVITATION_LIFE_MS + 1)).toBe(status);
  });
});

describe('an access key may invite people', () => {
  it('to the whole account or any project, if it is an account-level key', () => {
    expect(() => requireInvite(accessKey(null), 'acc_mine', null)).not.toThrow();
    expect(() => requireInvite(accessKey(null), 'acc_mine', ['prj_a', 'prj_b'])).not.toThrow();
  });

  it('to no other account, which is reported as not found', () => {
    expect(() => requireInvite(accessKey(null), 'acc_other', null)).toThrow(
      refusal('account_not_found'),
    );
    expect(() => requireInvite(accessKey(null), 'acc_other', ['prj_a'])).toThrow(
      refusal('project_not_found'),
    );
  });

  it('to exactly its own project, if it is a project-level key', () => {
    const principal = accessKey('prj_a');
    expect(() => requireInvite(principal, 'acc_mine', ['prj_a'])).not.toThrow();
    expect(() => requireInvite(principal, 'acc_mine', null)).toThrow(refusal('level_too_low'));
    expect(() => requireInvite(principal, 'acc_mine', ['prj_b'])).toThrow(
      refusal('project_not_found'),
    );
    expect(() => requireInvite(principal, 'acc_mine', ['prj_a', 'prj_b'])).toThrow(
      refusal('project_not_found'),
    );
  });

  it('only with the scope', () => {
    const principal = accessKey(null, ['invitations:read']);
    expect(() => requireInvite(principal, 'acc_mine', null)).toThrow(refusal('scope_missing'));
    expect(() => requireInvite(principal, 'acc_mine', ['prj_a'])).toThrow(refusal('scope_missing'));
  });
});

describe('the role that can be granted', () => {
  const mayGive = (scopes: readonly GrantedScope[], role: Role): boolean => {
    try {
      requireRoleGrant(accessKey(null, scopes), role);
      return true;
    } catch (error) {
      expect(error).toEqual(refusal('grant_exceeds_own'));
      return false;
    }
  };

  it('is the caller’s own or a weaker one', () => {
    for (const [own, role] of ROLES.entries())
      expect(ROLES.map((given) => mayGive(ROLE_SCOPES[role], given))).toEqual(
        ROLES.map((_, given) => given >= own),
      );
  });

  it('is none for a key with only the scope to invite', () => {
    expect(ROLES.filter((role) => mayGive(['invitations:write'], role))).toEqual([]);
  });
});

it('an invitation belongs to a project only if it is limited to exactly one', () => {
  expect(resourceOf('acc_1', null).projectId).toBeNull();
  expect(resourceOf('acc_1', ['prj_a']).projectId).toBe('prj_a');
  expect(resourceOf('acc_1', ['prj_a', 'prj_b']).projectId).toBeNull();
});

it('the link has its token in the fragment', () => {
  const link = new URL(invitationLink('https://keys.example.com/', 'inv_1', 'tok'));
  expect(link.href).toBe('https://keys.example.com/dashboard/invitations/inv_1#token=tok');
  expect(link.pathname + link.search).not.toContain('tok=');
  expect(link.hash).toBe('#token=tok');
});
