import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Crossing, WriteUsage } from './usage-batch.ts';
import { UsedAccessKey } from './usage-counters.ts';
import { CROSSINGS_MAX, UsageTally } from './usage-tally.ts';

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

it('keeps a limited number of crossings while writes fail', async () => {
  const written: Parameters<WriteUsage>[1][] = [];
  let isFailing = true;
  const tally = new UsageTally({
    async write(_id, batch) {
      if (isFailing) throw new Error('the disk is full');
      written.push(batch);
    },
    onError: () => {},
  });
  const accessKey = new AccessKey();
  const start = Date.now();
  for (let minute = 0; minute < 5; minute++) {
    for (let n = 0; n < CROSSINGS_MAX; n++) tally.addCrossing({} as Crossing);
    tally.countMiss('unknown', accessKey, start + minute * 60_000);
    await tally.flush();
  }
  isFailing = false;
  await tally.flush();
  const crossings = written.reduce((sum, batch) => sum + batch.crossings.length, 0);
  // The crossings of the batch that failed first, and the crossings added since then.
  expect(crossings).toBe(2 * CROSSINGS_MAX);
});
