import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { registerDiskMetrics } from './disk-metrics.ts';

it('the first scrape already has the size of the disk', async () => {
  const registry = new Registry();
  const space = async () => ({ freeBytes: 10, sizeBytes: 20 });
  registerDiskMetrics(registry, { refusal: undefined, reserveBytes: 5, space });
  const text = await registry.metrics();
  expect(text).toContain('keyward_disk_size_bytes 20\n');
  expect(text).toContain('keyward_disk_free_bytes 10\n');
});
