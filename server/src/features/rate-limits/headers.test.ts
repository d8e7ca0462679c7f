import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rateLimitHeaders } from './index.ts';

const NOW = Date.UTC(2030, 0, 1);

it('gives an allowed request five headers and no Retry-After', () => {
  const taken = { allowed: true, consumed: 3, resetAt: NOW + 59_250 };
  expect(rateLimitHeaders(10, taken, NOW)).toEqual([
    ...['ratelimit-limit', '10'],
    ...['ratelimit-remaining', '7'],
    ...['ratelimit-reset', String(NOW / 1000 + 60)],
    ...['ratelimit-consumed', '3'],
    ...['retry-after-seconds', '59.25'],
  ]);
});

it('adds Retry-After in whole seconds, rounded up, when the limit is exceeded', () => {
  const taken = { allowed: false, consumed: 10, resetAt: NOW + 1 };
  expect(rateLimitHeaders(10, taken, NOW).slice(-4)).toEqual([
    ...['retry-after-seconds', '0.001'],
    ...['Retry-After', '1'],
  ]);
});

it('never shows more consumed than the limit, or a negative remainder', () => {
  const taken = { allowed: false, consumed: 8, resetAt: NOW + 1_000 };
  expect(rateLimitHeaders(5, taken, NOW).slice(2, 8)).toEqual([
    ...['ratelimit-remaining', '0'],
    ...['ratelimit-reset', String(NOW / 1000 + 1)],
    ...['ratelimit-consumed', '5'],
  ]);
});

it('writes decimal numbers that add up for any counts', () => {
  const count = fc.integer({ min: 1, max: 2 ** 32 });
  const wait = fc.integer({ min: -2_000, max: 31 * 86_400_000 });
  fc.assert(
    fc.property(count, count, wait, fc.boolean(), (limit, consumed, waitMs, allowed) => {
      const headers = rateLimitHeaders(limit, { allowed, consumed, resetAt: NOW + waitMs }, NOW);
      const values = headers.filter((_, index) => index % 2 === 1);
      for (const value of values) expect(value).toMatch(/^\d+(\.\d{1,3})?$/);
      expect(Number(values[1]) + Number(values[3])).toBe(limit);
      expect(headers.includes('Retry-After')).toBe(!allowed);
    }),
  );
});
