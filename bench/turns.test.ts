import { expect, it } from 'vitest';
import { takeTurns } from './turns.ts';

it('goes back and forth, so that each is as often before the others as behind them', async () => {
  const seen: string[] = [];
  const sides = ['a', 'b', 'c'].map((name) => async () => seen.push(name));
  await takeTurns([0, 1, 2], sides);
  expect(seen.join('')).toBe('abccbaabc');
});
