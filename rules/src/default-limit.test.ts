import { expect, it } from 'vitest';
import { allLimits, hasNamedLimits } from './default-limit.ts';

const day = {
  ...{ name: 'day', rateLimit: 9, rateLimitTtl: 86_400 },
  ...({ per: 'customer', algorithm: 'sliding', mode: 'shadow' } as const),
};

it('`rateLimitConfigs` is the first limit, with a fixed window of the key that refuses', () => {
  expect(allLimits({ rateLimit: 5, rateLimitTtl: 60 }, [day])).toEqual([
    {
      ...{ name: 'default', rateLimit: 5, rateLimitTtl: 60 },
      ...{ per: 'key', algorithm: 'fixed', mode: 'enforce' },
    },
    day,
  ]);
  expect(allLimits(null, [day])).toEqual([day]);
});

it.each([
  [[], false],
  [['default'], false],
  [['day'], true],
  [['default', 'day'], true],
])('limits named %j are listed: %s', (names, isListed) => {
  expect(hasNamedLimits(names)).toBe(isListed);
});
