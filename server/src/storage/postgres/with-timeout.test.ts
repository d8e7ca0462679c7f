import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { withTimeout } from './with-timeout.ts';

const late = () => new Error('late');

const holdFor = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

it('gives what comes in time, and rejects what does not', async () => {
  expect(await withTimeout(sleep(10, 'answer'), 60_000, late)).toBe('answer');
  await expect(withTimeout(new Promise(() => {}), 250, late)).rejects.toThrow('late');
  await expect(withTimeout(Promise.reject(new Error('own')), 250, late)).rejects.toThrow('own');
});

it('does not take being held for silence, though what is asked takes several steps', async () => {
  const steps = async (): Promise<string> => {
    // One after the other, as when a connection is made, and none is read while the process is held.
    for (const _ of ['greeting', 'challenge', 'proof', 'answer']) {
      holdFor(400);
      await sleep(20);
    }
    return 'answer';
  };
  // Held for longer than this, but for few of its slices.
  expect(await withTimeout(steps(), 1_500, late)).toBe('answer');
});
