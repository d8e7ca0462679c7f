import { describe, expect, it } from 'vitest';
import { counterSet, customerGroup, limitsOfKey } from './counter-sets.ts';
import type { Limit } from './schema.ts';

const limit = (name: string, fields: Partial<Limit> = {}): Limit => ({
  name,
  rateLimit: 5,
  rateLimitTtl: 60,
  per: 'key',
  algorithm: 'fixed',
  mode: 'enforce',
  ...fields,
});

describe('the group of a customer', () => {
  it('is a hash that differs by project and by id, and contains neither', () => {
    const groups = [
      customerGroup('prj_1', 'acme'),
      customerGroup('prj_2', 'acme'),
      customerGroup('prj_1', 'acme 2'),
    ];
    expect(new Set(groups).size).toBe(3);
    for (const group of groups) expect(group).toMatch(/^cst_[A-Za-z0-9_-]{22}$/);
    expect(customerGroup('prj_1', 'acme')).toBe(groups[0]);
  });
});

describe('the counters of a key', () => {
  it('are one, named like its group, for `default` alone', () => {
    const limits = limitsOfKey({ rate_limit: 9, rate_limit_ttl: 1 }, []);
    const { set } = counterSet('key_1', limits, 'cst_1', 0);
    expect(set).toMatchObject({ group: 'key_1', limits: [{ counter: 'key_1' }] });
  });

  it('belong to its rotation group if it has no customer, also those per customer', () => {
    const { set, names } = counterSet(
      'key_1',
      [limit('a'), limit('b', { per: 'customer' })],
      null,
      0,
    );
    expect(set.group).toBe('key_1');
    expect(set.limits.map(({ counter }) => counter)).toEqual(['key_1:a', 'key_1:b']);
    expect(names).toEqual(['a', 'b']);
  });

  it('are all in the group of its customer if it has one', () => {
    const row = { rate_limit: 9, rate_limit_ttl: 1 };
    const limits = limitsOfKey(row, [limit('a'), limit('b', { per: 'customer' })]);
    const { set, names } = counterSet('key_1', limits, 'cst_1', 0);
    expect(set.group).toBe('cst_1');
    expect(set.limits.map(({ counter }) => counter)).toEqual([
      'cst_1:key_1:default',
      'cst_1:key_1:a',
      'cst_1:b',
    ]);
    expect(names).toEqual(['default', 'a', 'b']);
    expect(set.limits[0]).toMatchObject({ limit: 9, ttlMs: 1000, isEnforced: true });
  });

  it('have the algorithm and the mode of the limit', () => {
    const { set } = counterSet(
      'key_1',
      [limit('a', { algorithm: 'sliding', mode: 'shadow' })],
      null,
      0,
    );
    expect(set.limits).toEqual([
      { counter: 'key_1:a', limit: 5, ttlMs: 60_000, isSliding: true, isEnforced: false },
    ]);
  });
});
