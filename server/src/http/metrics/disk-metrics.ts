import { Gauge, type Registry } from 'prom-client';
import type { Disk, DiskSpace } from '../../storage/index.ts';
import { addGauge } from './read-metrics.ts';

/** The file system of an embedded database. */
export function registerDiskMetrics(registry: Registry, disk: Disk): void {
  addGauge(
    registry,
    'disk_reserve_bytes',
    'Disk space kept for revocations; less than 16 MB while the disk is full.',
    () => disk.reserveBytes,
  );
  // The registry collects all gauges at the same time, so none can set the value of another.
  const addSpaceGauge = (name: string, help: string, read: (space: DiskSpace) => number) =>
    new Gauge({
      name: `keyward_${name}`,
      help,
      registers: [registry],
      async collect() {
        this.set(await disk.space().then(read, () => Number.NaN));
      },
    });
  addSpaceGauge(
    'disk_size_bytes',
    'Size of the file system with the database.',
    ({ sizeBytes }) => sizeBytes,
  );
  addSpaceGauge(
    'disk_free_bytes',
    'Free space of the file system with the database, without the reserve.',
    ({ freeBytes }) => freeBytes,
  );
}
