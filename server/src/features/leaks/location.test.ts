import { expect, it } from 'vitest';
import { generateValue, maskValue } from '../../kernel/secrets/key-values.ts';
import { leakLocation } from './location.ts';

const PAGE = 'https://example.com/';

it('masks values in source and address', () => {
  const value = generateValue('live_');
  const own = 'a-value-of-the-user';
  const location = leakLocation([value, own], `${own} and ${value}`, `${PAGE}?q=${value}`);
  expect(location).toEqual({
    source: `${maskValue(own)} and ${maskValue(value)}`,
    url: `${PAGE}?q=${maskValue(value)}`,
  });
});

it.each([
  ['of one character', Array(100).fill('*')],
  ['of several asterisks', Array.from({ length: 100 }, (_, n) => '*'.repeat(n + 1))],
  [
    'that occur in the masks of other values',
    Array.from({ length: 100 }, (_, n) => `${'a'.repeat(n)}*`),
  ],
])('does not mask malformed values %s, so that the text does not grow', (_, values) => {
  const location = leakLocation(values, '*a*', `${PAGE}*a*`);
  expect(location).toEqual({ source: '*a*', url: `${PAGE}*a*` });
});

it('limits what masks add to the source and the address', () => {
  const values = Array.from({ length: 100 }, (_, n) => 'a'.repeat(n + 8));
  const source = 'a'.repeat(256);
  const { source: masked, url } = leakLocation(values, source, `${PAGE}${'a'.repeat(2000)}`);
  expect(masked).toHaveLength(256);
  expect(masked).not.toContain('a'.repeat(8));
  expect(url).toBe(null);
});
