import { Counter, Gauge, type Registry } from 'prom-client';
import type { ReadStatus } from '../../storage/index.ts';

type Statuses = Readonly<Record<string, ReadStatus>>;

const GAUGES: readonly [name: string, help: string, (status: ReadStatus) => number][] = [
  ['running', 'Lists and reports that the database is answering.', ({ running }) => running],
  [
    'waiting',
    'Lists and reports that wait for a reader of the database.',
    ({ waiting }) => waiting,
  ],
  [
    'oldest_wait_seconds',
    'Age of the oldest of those that wait, without those that wait only for others of their account.',
    ({ oldestWaitMs }) => oldestWaitMs / 1000,
  ],
];

const COUNTERS: readonly [name: string, help: string, (status: ReadStatus) => number][] = [
  ['timed_out', 'Lists and reports ended at their deadline.', ({ timedOut }) => timedOut],
  [
    'cancelled',
    'Lists and reports ended because their client had gone.',
    (status) => status.cancelled,
  ],
  ['refused', 'Lists and reports refused because too many waited.', ({ refused }) => refused],
];

/** Reads of the database by lane: of requests, and of background work. */
export function registerDatabaseReads(registry: Registry, read: () => Statuses): void {
  const common = { labelNames: ['lane'] as const, registers: [registry] };
  for (const [name, help, value] of GAUGES)
    new Gauge({
      ...{ name: `keyward_database_reads_${name}`, help, ...common },
      collect() {
        for (const [lane, status] of Object.entries(read())) this.set({ lane }, value(status));
      },
    });
  for (const [name, help, value] of COUNTERS)
    new Counter({
      ...{ name: `keyward_database_reads_${name}_total`, help, ...common },
      collect() {
        this.reset();
        for (const [lane, status] of Object.entries(read())) this.inc({ lane }, value(status));
      },
    });
}
