import { expect, it, vi } from 'vitest';
import { ResultQueue } from './result-queue.ts';
import type { Finished } from './results.ts';

const result = (n: number) => ({ n }) as unknown as Finished;

function queueThat(write: (batch: readonly Finished[]) => Promise<void>) {
  const batches: number[] = [];
  const errors: unknown[] = [];
  const queue = new ResultQueue(
    async (batch) => {
      batches.push(batch.length);
      await write(batch);
    },
    (error) => errors.push(error),
    () => 20,
  );
  return { queue, batches, errors };
}

it('writes a full batch immediately, and the rest a little later', async () => {
  const { queue, batches } = queueThat(async () => {});
  for (let n = 0; n < 450; n++) queue.add(result(n));
  expect(batches).toEqual([200]);
  await expect.poll(() => queue.size).toBe(0);
  expect(batches).toEqual([200, 200, 50]);
});

it('reads the waiting time again for each batch', async () => {
  vi.useFakeTimers();
  try {
    const batches: number[] = [];
    let waitMs = 80;
    const queue = new ResultQueue(
      async (batch) => void batches.push(batch.length),
      () => {},
      () => waitMs,
    );
    queue.add(result(1));
    await vi.advanceTimersByTimeAsync(79);
    queue.add(result(2));
    expect(batches).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toEqual([2]);
    waitMs = 20;
    queue.add(result(3));
    await vi.advanceTimersByTimeAsync(20);
    expect(batches).toEqual([2, 1]);
  } finally {
    vi.useRealTimers();
  }
});

it('keeps a batch that failed and retries it, in order', async () => {
  let away = true;
  const written: Finished[] = [];
  const { queue, errors } = queueThat(async (batch) => {
    if (away) throw new Error('away');
    written.push(...batch);
  });
  queue.add(result(1));
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  queue.add(result(2));
  expect(queue.size).toBe(2);
  away = false;
  await expect.poll(() => queue.size).toBe(0);
  expect(written).toEqual([result(1), result(2)]);
});

it('drains everything, and gives up when writes fail', async () => {
  const whole = queueThat(async () => {});
  for (let n = 0; n < 450; n++) whole.queue.add(result(n));
  await whole.queue.drain();
  expect(whole.queue.size).toBe(0);

  const broken = queueThat(async () => {
    throw new Error('away');
  });
  broken.queue.add(result(1));
  await broken.queue.drain();
  expect(broken.queue.size).toBe(1);
});
