import fc from 'fast-check';
import { expect, it } from 'vitest';
import { editDistance, nearest } from './nearest.ts';

it.each([
  ['keys lst', 'keys list'],
  ['kesy list', 'keys list'],
  ['projects crate', 'projects create'],
])('%s probably means %s', (typed, meant) => {
  expect(nearest(typed, ['keys list', 'keys get', 'projects create', 'projects get'])).toBe(meant);
});

it('guesses nothing when nothing is near', () => {
  expect(nearest('bogus', ['keys list', 'serve'])).toBeNull();
  expect(nearest('', ['keys list'])).toBeNull();
});

it('is a distance', () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(editDistance(a, a)).toBe(0);
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});
