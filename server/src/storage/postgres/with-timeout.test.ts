import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { withTimeout } from './with-timeout.ts';

const late = () => new Error('late');

const blockFor = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

it('returns a result that arrives in time, and rejects otherwise', async () => {
  expect(await withTimeout(sleep(10, 'reply'), 60_000, late)).toBe('reply');
  await expect(withTimeout(new Promise(() => {}), 250, late)).rejects.toThrow('late');
  await expect(withTimeout(Promise.reject(new Error('own')), 250, late)).rejects.toThrow('own');
});

it('does not count the time in which the process is blocked, even if the work takes several steps', async () => {
  const steps = async (): Promise<string> => {
    // One after the other, as when a connection is opened. None is read while the process is blocked.
    for (const _ of ['greeting', 'challenge', 'proof', 'reply']) {
      blockFor(400);
      await sleep(20);
    }
    return 'reply';
  };
  // The process is blocked for longer than the timeout in total, but only during a few slices.
  expect(await withTimeout(steps(), 1_500, late)).toBe('reply');
});
