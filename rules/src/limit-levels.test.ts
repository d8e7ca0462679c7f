import { expect, it } from 'vitest';
import { mergedLimits } from './limit-levels.ts';

const limit = (name: string, rateLimit: number) =>
  ({ name, rateLimit, rateLimitTtl: 60, per: 'key', algorithm: 'fixed', mode: 'enforce' }) as const;

it('all limits apply, and a more specific one replaces a less specific one of the same name', () => {
  const merged = mergedLimits([
    { level: 'plan', limits: [limit('minute', 10), limit('day', 100)] },
    { level: 'customer', limits: [limit('day', 500), limit('month', 9000)] },
  ]);
  expect(
    [...merged.values()].map(({ limit: { name, rateLimit }, level }) => [name, rateLimit, level]),
  ).toEqual([
    ['minute', 10, 'plan'],
    ['day', 500, 'customer'],
    ['month', 9000, 'customer'],
  ]);
});
