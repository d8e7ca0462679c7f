import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { SeenValues } from './seen-values.ts';

const digest = (n: number) => hash('sha256', `value ${n}`, 'buffer');

it('returns the first line of each of 50,000 values', () => {
  const seen = new SeenValues();
  const wrong: number[] = [];
  for (let n = 1; n <= 50_000; n++) if (seen.firstLine(digest(n), n) !== null) wrong.push(n);
  for (let n = 1; n <= 50_000; n++)
    if (seen.firstLine(digest(n), 1_000_000 + n) !== n) wrong.push(n);
  expect(wrong).toEqual([]);
});
