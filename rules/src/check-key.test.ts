import { describe, expect, it } from 'vitest';
import { parseAddress, parseAddressRange } from './addresses.ts';
import { CHECKS, type CheckedKey, type Conditions, checkKey, NO_CONDITIONS } from './check-key.ts';
import { Grants, readRequirement } from './permissions.ts';

const NOW = 1_000_000;

const UNRESTRICTED: CheckedKey = {
  project: { isActive: true },
  isActive: true,
  startsAt: null,
  expiresAt: null,
  allowedDomains: null,
  allowedIPs: null,
  grants: new Grants([]),
};

type Code = NonNullable<ReturnType<typeof checkKey>>;

/** For each code a key that fails its check, and conditions under which the same key passes. */
const FAILING: Record<Code, readonly [key: Partial<CheckedKey>, passes?: Partial<Conditions>]> = {
  key_project_inactive: [{ project: { isActive: false } }],
  key_revoked: [{ isActive: false }],
  key_not_started: [{ startsAt: NOW + 1 }],
  key_expired: [{ expiresAt: NOW }],
  domain_denied: [{ allowedDomains: ['a.example'] }, { origin: 'a.example' }],
  ip_denied: [
    { allowedIPs: [parseAddressRange('192.0.2.1')!, parseAddressRange('10.0.0.0/8')!] },
    { clientIP: parseAddress('10.1.2.3') },
  ],
  permission_denied: [{}, { requirement: null }],
};
const ORDER = Object.keys(CHECKS).slice(0, -2) as Code[];

const requiring = { ...NO_CONDITIONS, requirement: readRequirement('documents.read') };
const refusalOf = (key: Partial<CheckedKey>, conditions: Partial<Conditions> = {}) =>
  checkKey({ ...UNRESTRICTED, ...key }, { ...NO_CONDITIONS, ...conditions }, NOW);

describe('checkKey', () => {
  it('accepts a key without restrictions from any origin and address', () => {
    expect(refusalOf({})).toBeNull();
    expect(refusalOf({}, { origin: 'a.example', clientIP: parseAddress('192.0.2.9') })).toBeNull();
  });

  it.each(ORDER)('reports a failure as %s, before every later one in CHECKS', (code) => {
    const [key, passes] = FAILING[code];
    const later = ORDER.slice(ORDER.indexOf(code) + 1).map((each) => FAILING[each][0]);
    expect(refusalOf(Object.assign({}, ...later, key), requiring)).toBe(code);
    if (passes !== undefined) expect(refusalOf(key, passes)).toBeNull();
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
  });

  it('needs a permission only if the request requires one', () => {
    const { requirement } = requiring;
    expect(refusalOf({ grants: new Grants(['documents.*']) }, { requirement })).toBeNull();
    expect(refusalOf({ grants: new Grants(['reports.*']) }, { requirement })).toBe(
      'permission_denied',
    );
  });
});
