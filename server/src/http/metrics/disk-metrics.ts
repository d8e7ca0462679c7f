import { Gauge, type Registry } from 'prom-client';
import type { Disk } from '../../storage/index.ts';
import { addGauge } from './read-metrics.ts';

/** The file system of an embedded database. */
export function registerDiskMetrics(registry: Registry, disk: Disk): void {
  addGauge(
    registry,
    'disk_reserve_bytes',
    'Disk space kept for revocations; less than 16 MB while the disk is full.',
    () => disk.reserveBytes,
  );
  const size = new Gauge({
    name: 'keyward_disk_size_bytes',
    help: 'Size of the file system with the database.',
    registers: [registry],
  });
  new Gauge({
    name: 'keyward_disk_free_bytes',
    help: 'Free space of the file system with the database, without the reserve.',
    registers: [registry],
    async collect() {
      const unknown = { freeBytes: Number.NaN, sizeBytes: Number.NaN };
      const { freeBytes, sizeBytes } = await disk.space().catch(() => unknown);
      this.set(freeBytes);
      size.set(sizeBytes);
    },
  });
}
