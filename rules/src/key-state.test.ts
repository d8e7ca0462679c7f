import { expect, it } from 'vitest';
import { isCurrent, isRotatable, keyState } from './key-state.ts';

const NOW = Date.UTC(2030, 0, 1);
const DAY = 86_400_000;
const at = (days: number | null) =>
  days === null ? null : new Date(NOW + days * DAY).toISOString();

it.each([
  [true, null, null, 'active'],
  [true, null, 15, 'active'],
  [true, 0, 15, 'active'],
  [true, null, 14, 'expiring'],
  [true, -1, 14, 'expiring'],
  [true, 1, null, 'notStarted'],
  [true, 1, 2, 'notStarted'],
  [true, null, 0, 'expired'],
  [true, 1, -1, 'expired'],
  [false, null, null, 'revoked'],
  [false, 1, -1, 'revoked'],
] as const)(
  'a key (active: %s) that starts in %s and expires in %s days is %s',
  (isActive, starts, expires, state) => {
    const key = { isActive, startsAt: at(starts), expiresAt: at(expires) };
    expect(keyState(key, NOW)).toBe(state);
  },
);

it('access keys have no start', () => {
  expect(keyState({ isActive: true, expiresAt: null }, NOW)).toBe('active');
});

it.each([
  ['active', true],
  ['expiring', true],
  ['notStarted', true],
  ['expired', false],
  ['revoked', false],
] as const)('a key that is %s can be used now or later, and rotated: %s', (state, expected) => {
  expect(isCurrent(state)).toBe(expected);
  expect(isRotatable({ rotatedTo: null }, state)).toBe(expected);
  expect(isRotatable({ rotatedTo: 'key_2' }, state)).toBe(false);
});
