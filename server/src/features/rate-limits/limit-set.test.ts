import { describe, expect, it } from 'vitest';
import type { CounterLimit } from '../../cluster/counters/counters.ts';
import { describedLimit, limitSetJson, limitSetLines } from './index.ts';

const NOW = Date.UTC(2030, 0, 1);

/** Limits as `[name, limit, consumed, seconds until the reset]`, and their state. */
function makeSet(
  limits: readonly (readonly [name: string, limit: number, consumed: number, seconds: number])[],
  { refusedBy = -1, shadow = '' } = {},
) {
  return {
    named: {
      names: limits.map(([name]) => name),
      limits: limits.map(
        ([name, limit]): CounterLimit => ({
          ...{ counter: `key_a:${name}`, limit, ttlMs: 60_000 },
          ...{ isSliding: false, isEnforced: name !== shadow },
        }),
      ),
    },
    result: {
      refusedBy,
      states: limits.map(([, , consumed, seconds], n) => ({
        ...{ consumed, resetAt: NOW + seconds * 1000, isExceeded: n === refusedBy },
      })),
    },
  };
}

describe('the limit that the headers describe', () => {
  it('is the one that refused', () => {
    const { named, result } = makeSet(
      [
        ['a', 10, 10, 1],
        ['b', 100, 95, 2],
      ],
      { refusedBy: 1 },
    );
    expect(describedLimit(named, result)).toEqual({
      limit: 100,
      taken: { allowed: false, consumed: 95, resetAt: NOW + 2_000 },
    });
  });

  it('is otherwise the enforced limit with the smallest share left', () => {
    const { named, result } = makeSet(
      [
        ['a', 10, 5, 1],
        ['b', 100, 60, 2],
        ['c', 3, 3, 3],
      ],
      { shadow: 'c' },
    );
    expect(describedLimit(named, result)).toMatchObject({ limit: 100, taken: { allowed: true } });
  });

  it('is none if all are in shadow mode', () => {
    const { named, result } = makeSet([['a', 10, 5, 1]], { shadow: 'a' });
    expect(describedLimit(named, result)).toBeNull();
    expect(limitSetLines(named, result, NOW)).toBe('');
  });
});

it('writes the RateLimit headers of the IETF draft, with an item for each enforced limit', () => {
  const { named, result } = makeSet(
    [
      ['default', 10, 5, 0.5],
      ['tried', 5, 5, 1],
      ['day', 8, 8, 60],
    ],
    { refusedBy: 2, shadow: 'tried' },
  );
  const lines = limitSetLines(named, result, NOW).trimEnd().split('\r\n');
  expect(lines).toEqual([
    'ratelimit-limit: 8',
    'ratelimit-remaining: 0',
    `ratelimit-reset: ${NOW / 1000 + 60}`,
    'ratelimit-consumed: 8',
    'retry-after-seconds: 60',
    'Retry-After: 60',
    'RateLimit-Policy: "default";q=10;w=60, "day";q=8;w=60',
    'RateLimit: "default";r=5;t=1, "day";r=0;t=60',
  ]);
});

it('writes the state of every limit as JSON', () => {
  const { named, result } = makeSet(
    [
      ['default', 10, 5, 0.5],
      ['day', 8, 8, 60],
    ],
    { refusedBy: 1, shadow: 'default' },
  );
  expect(JSON.parse(limitSetJson(named, result))).toEqual([
    { name: 'default', limit: 10, remaining: 5, reset: NOW / 1000 + 1, exceeded: false },
    { name: 'day', limit: 8, remaining: 0, reset: NOW / 1000 + 60, exceeded: true },
  ]);
});
