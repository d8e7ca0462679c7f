import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLimitRows, LIMITS_MAX, limitRows, newLimitRow } from './limit-rows.ts';
import { type NamedLimit, namedLimitText } from './limits.ts';

const common = {
  name: fc.stringMatching(/^[a-z0-9-]{1,32}$/).filter((name) => name !== 'default'),
  rateLimit: fc.integer({ min: 1, max: 1_000_000 }),
  per: fc.constantFrom('key' as const, 'customer' as const),
  mode: fc.constantFrom('enforce' as const, 'shadow' as const),
};
const counted = {
  unit: fc.constant('tokens'),
  for: fc.uniqueArray(fc.constantFrom('*', 'a', 'POST:/v1/*'), { minLength: 1 }),
};
const required = ['name', 'rateLimit', 'per', 'algorithm', 'mode'] as const;

const limits = fc.uniqueArray(
  fc.oneof<fc.Arbitrary<NamedLimit>[]>(
    fc.record(
      {
        ...{ ...common, ...counted },
        rateLimitTtl: fc.integer({ min: 1, max: 31 * 86_400 }),
        algorithm: fc.constantFrom('fixed' as const, 'sliding' as const),
      },
      { requiredKeys: [...required, 'rateLimitTtl'] },
    ),
    fc.record(
      {
        ...{ ...common, ...counted },
        interval: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
        timezone: fc.constant('Europe/Berlin'),
        anchor: fc.constantFrom('customer', '2030-01-15T00:00:00.000Z'),
        algorithm: fc.constant('fixed' as const),
      },
      { requiredKeys: [...required, 'interval'] },
    ),
  ),
  { selector: ({ name }) => name, maxLength: LIMITS_MAX },
);

describe('limits of a form', () => {
  it('survive a round trip', () => {
    fc.assert(
      fc.property(limits, (value) => {
        expect(checkLimitRows(limitRows(value))).toEqual({ ok: true, limits: value });
      }),
    );
  });

  it('start with different names and valid values', () => {
    let rows = limitRows([]);
    for (let n = 0; n < LIMITS_MAX; n++) rows = [...rows, newLimitRow(rows)];
    expect(new Set(rows.map(({ row }) => row)).size).toBe(LIMITS_MAX);
    const checked = checkLimitRows(rows);
    expect(checked.ok && checked.limits.map(({ name }) => name)).toEqual([
      'minute',
      'day',
      'second',
      'hour',
      'limit-5',
      'limit-6',
      'limit-7',
      'limit-8',
    ]);
  });

  it.each([
    [{ name: 'Day' }, 'lower-case'],
    [{ name: '' }, 'lower-case'],
    [{ name: 'default' }, 'reserved'],
    [{ requests: '0' }, 'number of requests'],
    [{ length: '32', unit: 'day' as const }, '31 days'],
  ])('with %j have an error message', (change, message) => {
    const first = newLimitRow([]);
    const rows = [first, { ...newLimitRow([first]), ...change }];
    expect(checkLimitRows(rows)).toMatchObject({
      ok: false,
      row: 1,
      message: expect.stringContaining(message),
    });
  });

  it('must not have the same name', () => {
    const row = newLimitRow([]);
    expect(checkLimitRows([row, { ...row, row: 1 }])).toMatchObject({ ok: false, row: 1 });
  });

  it('are formatted as text', () => {
    const limit = { name: 'day', rateLimit: 1000, rateLimitTtl: 86_400 };
    const plain = { ...limit, per: 'key', algorithm: 'fixed', mode: 'enforce' } as const;
    expect(namedLimitText(plain)).toBe('day: 1,000 requests per day');
    expect(
      namedLimitText({ ...limit, per: 'customer', algorithm: 'sliding', mode: 'shadow' }),
    ).toBe(
      'day: 1,000 requests per day, shared by all keys of the customer, sliding window, reported only',
    );
  });
});
