import { expect, it } from 'vitest';
import { lock, unlock } from './shared-lock.ts';

const words = () => new Int32Array(new SharedArrayBuffer(8));

it('is had by one after the other, and each word is a lock of its own', () => {
  const shared = words();
  lock(shared, 0);
  lock(shared, 1);
  unlock(shared, 0);
  lock(shared, 0);
  expect([...shared]).toEqual([1, 1]);
});

it('that a dead thread holds is not waited for to the end of days', () => {
  const shared = words();
  lock(shared, 0);
  expect(() => lock(shared, 0, 20)).toThrow('did not give it back');
});
