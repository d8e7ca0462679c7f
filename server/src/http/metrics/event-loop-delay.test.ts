import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { EventLoopDelay } from './event-loop-delay.ts';

it('gives every collector the delays of the whole window', async () => {
  const delay = new EventLoopDelay();
  const registry = new Registry();
  delay.register(registry);
  const longest = async () => {
    const { values } = await registry.getSingleMetric('keyward_event_loop_delay_seconds')!.get();
    return values.find(({ labels }) => labels.quantile === '1')!.value;
  };
  await expect.poll(longest).toBeGreaterThan(0);
  const until = performance.now() + 300;
  while (performance.now() < until);
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
