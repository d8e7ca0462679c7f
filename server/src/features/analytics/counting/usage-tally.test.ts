import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UsedAccessKey } from './usage-counters.ts';
import { UsageTally } from './usage-tally.ts';

class AccessKey extends UsedAccessKey {
  readonly seq = 1;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('writes counts within 250 ms, so that a crash loses no more', async () => {
  const written: unknown[] = [];
  const tally = new UsageTally({
    write: async (_id, batch) => void written.push(batch),
    onError: (error) => {
      throw error;
    },
  });
  tally.start();
  const accessKey = new AccessKey();
  for (let n = 1; n <= 3; n++) {
    tally.countMiss('unknown', accessKey, Date.now());
    expect(written).toHaveLength(n - 1);
    await vi.advanceTimersByTimeAsync(250);
    expect(written).toHaveLength(n);
  }
  await tally.stop();
});
