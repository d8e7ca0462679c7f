import { describe, expect, it } from 'vitest';
import { DAY_MS, daysLeft, decideExpiry } from './rules.ts';

const NOW = Date.UTC(2030, 0, 1);
const STEPS = [30, 7, 1];
const key = (days: number, createdDaysAgo = 100) => ({
  isActive: true,
  expiresAt: NOW + days * DAY_MS,
  createdAt: NOW - createdDaysAgo * DAY_MS,
});
const decide = (of: Parameters<typeof decideExpiry>[0], steps = STEPS, since = 0) =>
  decideExpiry(of, steps, since, NOW);

describe('the notice that is due', () => {
  it('is the step that was reached', () => {
    expect(decide(key(30)).step).toBe(30);
    expect(decide(key(30.001)).step).toBe(null);
    expect(decide(key(29)).step).toBe(30);
    expect(decide(key(7)).step).toBe(7);
    expect(decide(key(0.5)).step).toBe(1);
    expect(decide(key(0)).step).toBe(0);
  });

  it('is the smallest of several', () => {
    expect(decide(key(6), [30, 7, 6]).step).toBe(6);
    expect(decide(key(-1)).step).toBe(0);
  });

  it('is none if it was due more than 7 days ago', () => {
    expect(decide(key(23)).step).toBe(30);
    expect(decide(key(22.99)).step).toBe(null);
    expect(decide(key(-7)).step).toBe(0);
    expect(decide(key(-7.01)).step).toBe(null);
  });

  it('is none if it was due before the upgrade, unless the key is newer', () => {
    expect(decide(key(29), STEPS, NOW - DAY_MS / 2).step).toBe(null);
    expect(decide(key(29), STEPS, NOW - 2 * DAY_MS).step).toBe(30);
    expect(decide(key(29, 0), STEPS, NOW - DAY_MS / 2).step).toBe(30);
  });

  it('is none for a key that is revoked or does not expire', () => {
    expect(decide({ ...key(1), isActive: false })).toEqual({ step: null, nextAt: null });
    expect(decide({ ...key(1), expiresAt: null })).toEqual({ step: null, nextAt: null });
  });
});

it('looks at the key again at the next step, and finally when it expires', () => {
  expect(decide(key(31)).nextAt).toBe(NOW + DAY_MS);
  expect(decide(key(30)).nextAt).toBe(NOW + 23 * DAY_MS);
  expect(decide(key(1)).nextAt).toBe(NOW + DAY_MS);
  expect(decide(key(0)).nextAt).toBe(null);
  expect(decide(key(40), []).nextAt).toBe(NOW + 40 * DAY_MS);
});

it('rounds up the days that are left', () => {
  expect(daysLeft(NOW + 7 * DAY_MS, NOW)).toBe(7);
  expect(daysLeft(NOW + 7 * DAY_MS, NOW + 1)).toBe(7);
  expect(daysLeft(NOW, NOW + 1)).toBe(0);
});
