import { Registry } from 'prom-client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startTestApp } from '../../../test/harness/test-app.ts';
import { EventLoopDelay } from './event-loop-delay.ts';

/** The longest delay of the window, in seconds. */
function readerOf(delay: EventLoopDelay): () => Promise<number> {
  const registry = new Registry();
  delay.register(registry);
  return async () => {
    const { values } = await registry.getSingleMetric('keyward_event_loop_delay_seconds')!.get();
    return values.find(({ labels }) => labels.percentile === '100')!.value;
  };
}

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

it('gives every collector the delays of the whole window', async () => {
  const delay = new EventLoopDelay();
  onTestFinished(() => delay.close());
  const longest = readerOf(delay);
  await expect.poll(longest).toBeGreaterThan(0);
  block(300);
  await expect.poll(longest).toBeGreaterThan(0.25);
  expect(await longest()).toBeGreaterThan(0.25);
  delay.rotate();
  expect(await longest()).toBeGreaterThan(0.25);
  const afterReset = () => {
    delay.rotate();
    return longest();
  };
  await expect.poll(afterReset).toBeLessThan(0.25);
});

it('measures nothing once it is closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const open = new EventLoopDelay();
  onTestFinished(() => open.close());
  const closed = new EventLoopDelay();
  const [longestOpen, longestClosed] = [readerOf(open), readerOf(closed)];
  await expect.poll(longestOpen).toBeGreaterThan(0);
  await expect.poll(longestClosed).toBeGreaterThan(0);
  expect(vi.getTimerCount()).toBe(2);
  closed.close();
  expect(vi.getTimerCount()).toBe(1);
  const before = await longestClosed();
  const seconds = 2 * Math.max(before, await longestOpen()) + 0.1;
  block(seconds * 1000);
  await expect.poll(longestOpen).toBeGreaterThan(0.8 * seconds);
  expect(await longestClosed()).toBe(before);
});

it('is closed with the server', async () => {
  const close = vi.spyOn(EventLoopDelay.prototype, 'close');
  onTestFinished(() => close.mockRestore());
  const test = await startTestApp();
  expect(close).not.toHaveBeenCalled();
  await test.close();
  expect(close).toHaveBeenCalledTimes(1);
});
