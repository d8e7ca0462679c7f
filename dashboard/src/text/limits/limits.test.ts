import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chosenLimit, limitChoice, limitText } from './limits.ts';

describe('rate limit of a form', () => {
  it('survives a round trip', () => {
    const configs = fc.record({
      rateLimit: fc.integer({ min: 1, max: 1_000_000 }),
      rateLimitTtl: fc.integer({ min: 1, max: 31 * 86_400 }),
    });
    fc.assert(
      fc.property(fc.option(configs), (value) => {
        expect(chosenLimit(limitChoice(value))).toEqual({ ok: true, configs: value });
      }),
    );
  });

  it.each([
    [{ requests: '0' }, 'number of requests'],
    [{ requests: '1.5' }, 'number of requests'],
    [{ requests: '' }, 'number of requests'],
    [{ length: '' }, 'window length'],
    [{ length: '32', unit: 'day' as const }, '31 days'],
  ])('with %j has an error message', (change, what) => {
    const chosen = chosenLimit({ ...limitChoice(null), on: true, ...change });
    expect(chosen).toMatchObject({ ok: false, message: expect.stringContaining(what) });
  });

  it('is formatted as text', () => {
    expect(limitText(null)).toBe('No limit');
    expect(limitText({ rateLimit: 1000, rateLimitTtl: 60 })).toBe('1,000 requests per minute');
    expect(limitText({ rateLimit: 1, rateLimitTtl: 3600 })).toBe('1 request per hour');
    expect(limitText({ rateLimit: 10, rateLimitTtl: 300 })).toBe('10 requests per 5 minutes');
    expect(limitText({ rateLimit: 5000, interval: 'month', unit: 'tokens' })).toBe(
      '5,000 tokens per calendar month',
    );
  });
});
