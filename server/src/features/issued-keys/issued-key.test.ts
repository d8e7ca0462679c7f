import { describe, expect, it } from 'vitest';
import { deriveSecrets } from '../../kernel/secrets/crypto.ts';
import { activeColumns, issue, requireUsable, rotate, storedValue } from './index.ts';

const NOW = 1_000_000;
const secrets = deriveSecrets('secret');
const key = issue(secrets, { id: 'key_1', value: 'live_value', expiresAt: null }, NOW);

it('stores the hash and the mask of a value', () => {
  const stored = storedValue(secrets, 'a-value-of-a-customer');
  expect(stored).toEqual({
    hash: secrets.hashValue('a-value-of-a-customer'),
    mask: 'a-val*********',
  });
});

it('issues an active key that replaces no other', () => {
  expect(key).toEqual({
    ...{ id: 'key_1', ...storedValue(secrets, 'live_value'), expires_at: null },
    ...{ is_active: 1, rotated_from: null, rotated_to: null, created_at: NOW, updated_at: NOW },
  });
});

describe('a rotation', () => {
  const old = { ...key, expires_at: NOW + 90_000, rotated_to: 'key_0', name: 'Acme' };
  const expiresAt = NOW + 90_000;
  const next = issue(secrets, { id: 'key_2', value: 'live_other', expiresAt }, NOW + 5);

  it('gives the new key what its service keeps of the old one', () => {
    const { row } = rotate(old, next, 0, NOW + 5);
    expect(row).toEqual({
      ...next,
      ...{ name: 'Acme', rotated_from: 'key_1' },
    });
  });

  it('revokes the old key without a grace period', () => {
    const { retired } = rotate(old, next, 0, NOW + 5);
    expect(retired).toEqual({ is_active: 0, rotated_to: 'key_2', updated_at: NOW + 5 });
  });

  it('ends the old key after the grace period, but not later than its expiry', () => {
    const ends = [60, 90, 91].map((seconds) => rotate(old, next, seconds, NOW).retired);
    expect(ends).toEqual(
      [60_000, 90_000, 90_000].map((after) => ({
        ...{ expires_at: NOW + after, rotated_to: 'key_2', updated_at: NOW },
      })),
    );
  });
});

it('changes nothing in a key that is already revoked or active', () => {
  expect(activeColumns(key, 1)).toBeNull();
  expect(activeColumns(key, 0)).toEqual({ is_active: 0 });
  const revoked = { is_active: 0 as const };
  expect(activeColumns(revoked, 0)).toBeNull();
  expect(activeColumns(revoked, 1)).toEqual({ is_active: 1 });
});

describe('a usable key', () => {
  const codeOf = (change: Partial<typeof key>, now: number) => () =>
    requireUsable({ ...key, ...change }, now, { revoked: 'revoked', expired: 'expired' });

  it('is neither revoked nor expired', () => {
    expect(codeOf({}, NOW)).not.toThrow();
    expect(codeOf({ expires_at: NOW + 1 }, NOW)).not.toThrow();
    expect(codeOf({ is_active: 0, expires_at: NOW }, NOW)).toThrow('revoked');
    expect(codeOf({ expires_at: NOW }, NOW)).toThrow('expired');
  });
});
