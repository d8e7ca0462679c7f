import { parseAddress, parseAddressRange } from '@keyward/rules/addresses.ts';
import { Grants, readRequirement } from '@keyward/rules/permissions.ts';
import { describe, expect, it } from 'vitest';
import { type Conditions, type Decidable, decide, explain, NO_CONDITIONS } from './rules.ts';

const NOW = 1_000_000;

const UNRESTRICTED: Decidable = {
  project: { id: 'prj_1', isActive: true },
  isActive: true,
  startsAt: null,
  expiresAt: null,
  allowedDomains: null,
  allowedIPs: null,
  grants: new Grants([]),
};

/** Each check in order: a key that fails it, and conditions under which the same key passes. */
const CHECKS: [
  name: string,
  code: string,
  key: Partial<Decidable>,
  passes?: Partial<Conditions>,
][] = [
  ['project active', 'key_project_inactive', { project: { id: 'prj_1', isActive: false } }],
  ['key active', 'key_revoked', { isActive: false }],
  ['started', 'key_not_started', { startsAt: NOW + 1 }],
  ['not expired', 'key_expired', { expiresAt: NOW }],
  ['domain', 'domain_denied', { allowedDomains: ['a.example'] }, { origin: 'a.example' }],
  [
    'address',
    'ip_denied',
    { allowedIPs: [parseAddressRange('192.0.2.1')!, parseAddressRange('10.0.0.0/8')!] },
    { clientIP: parseAddress('10.1.2.3') },
  ],
  ['permissions', 'permission_denied', {}, { requirement: null }],
];

const requiring = { ...NO_CONDITIONS, requirement: readRequirement('documents.read') };
const refusalOf = (key: Partial<Decidable>, conditions: Partial<Conditions> = {}) =>
  decide({ ...UNRESTRICTED, ...key }, null, { ...NO_CONDITIONS, ...conditions }, NOW);

describe('decide', () => {
  it('accepts a key without restrictions from any origin and address', () => {
    expect(decide(UNRESTRICTED, null, NO_CONDITIONS, NOW)).toBeNull();
    expect(refusalOf({}, { origin: 'a.example', clientIP: parseAddress('192.0.2.9') })).toBeNull();
  });

  it.each(CHECKS)('reports a failure of the check "%s" as %s', (_name, code, key, passes) => {
    expect(decide({ ...UNRESTRICTED, ...key }, null, requiring, NOW)).toBe(code);
    if (passes !== undefined) expect(refusalOf(key, passes)).toBeNull();
  });

  it('reports the first check that fails', () => {
    // Adds failures from the last check to the first. Each new one is reported instead of those added before.
    let key = UNRESTRICTED;
    for (const [, code, failing] of CHECKS.toReversed()) {
      key = { ...key, ...failing };
      expect(decide(key, null, requiring, NOW)).toBe(code);
    }
    expect(decide(key, ['prj_2'], requiring, NOW)).toBe('key_not_found');
  });

  it('hides keys of other projects from a caller that is restricted to some projects', () => {
    const decideFor = (projectIds: readonly string[]) =>
      decide(UNRESTRICTED, projectIds, NO_CONDITIONS, NOW);
    expect(decideFor(['prj_2', 'prj_1'])).toBeNull();
    expect(decideFor(['prj_2'])).toBe('key_not_found');
    expect(decideFor([])).toBe('key_not_found');
  });

  it('accepts a key from its start until just before its expiry', () => {
    expect(refusalOf({ startsAt: NOW, expiresAt: NOW + 1 })).toBeNull();
    expect(refusalOf({ startsAt: NOW - 1, expiresAt: NOW - 1 })).toBe('key_expired');
  });

  it('needs an address only if the key is restricted, and accepts one from any of its ranges', () => {
    const allowedIPs = [parseAddressRange('192.0.2.1')!, parseAddressRange('10.0.0.0/8')!];
    expect(refusalOf({ allowedIPs })).toBe('ip_denied');
    expect(refusalOf({ allowedIPs: [] }, { clientIP: parseAddress('10.0.0.1') })).toBe('ip_denied');
    expect(refusalOf({ allowedIPs }, { clientIP: parseAddress('192.0.2.2') })).toBe('ip_denied');
    expect(refusalOf({ allowedIPs }, { clientIP: parseAddress('192.0.2.1') })).toBeNull();
    expect(refusalOf({ allowedIPs }, { clientIP: 'checked-by-client' })).toBeNull();
  });

  it('needs a permission only if the request requires one', () => {
    const { requirement } = requiring;
    expect(refusalOf({ grants: new Grants(['documents.*']) }, { requirement })).toBeNull();
    expect(refusalOf({ grants: new Grants(['reports.*']) }, { requirement })).toBe(
      'permission_denied',
    );
  });
});

describe('explain', () => {
  const fits = { limits: true, credits: true };
  const names = [...CHECKS.map(([name]) => name), 'limits', 'credits'];
  const codes = [...CHECKS.map(([, code]) => code), 'rate_limited', 'credits_exhausted'];
  const passedUntil = (failed: number) =>
    names.map((_, n) => (n === failed ? false : n < failed ? true : null));

  it('names every check, and skips those after the first that fails', () => {
    for (const [failed, [, , failing]] of CHECKS.entries()) {
      const checks = explain({ ...UNRESTRICTED, ...failing }, requiring, NOW, fits);
      expect(checks.map(({ check }) => check)).toEqual(names);
      expect(checks.map(({ code }) => code)).toEqual(codes);
      expect(checks.map(({ passed }) => passed)).toEqual(passedUntil(failed));
    }
    const all = explain(UNRESTRICTED, NO_CONDITIONS, NOW, fits);
    expect(all.every(({ passed }) => passed)).toBe(true);
  });

  it('reports a limit before credits', () => {
    const of = (limits: boolean, credits: boolean) =>
      explain(UNRESTRICTED, NO_CONDITIONS, NOW, { limits, credits }).map(({ passed }) => passed);
    expect(of(false, false)).toEqual(passedUntil(CHECKS.length));
    expect(of(true, false)).toEqual(passedUntil(CHECKS.length + 1));
  });
});
