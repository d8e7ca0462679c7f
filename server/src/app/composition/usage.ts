import type { FastifyBaseLogger } from 'fastify';
import {
  AnalyticsService,
  DEFAULT_RETENTION,
  RefusalService,
  type Retention,
  UsageMaintenance,
  UsageReports,
  UsageTally,
  usageWriter,
} from '../../features/analytics/index.ts';
import { firstUseEvents, keysOfReport } from '../../features/api-keys/index.ts';
import type { Outbox } from '../../features/changes/index.ts';
import { crossingEvents, type NoticeMails } from '../../features/signals/index.ts';
import type { MakeId } from '../../kernel/ids.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { backgroundStorage, type Storage } from '../../storage/index.ts';

/** Builds the services that count, store and query usage. */
export function buildUsage(parts: {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly outbox: Outbox;
  readonly ids: MakeId;
  readonly noticeMails: NoticeMails;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly usageRetention?: Retention;
}) {
  const { storage, secrets, outbox, ids, clock, log } = parts;
  const retention = parts.usageRetention ?? DEFAULT_RETENTION;
  const recordCrossings = crossingEvents(parts.noticeMails.schedule);
  const writer = { storage, outbox, firstUseEvents, recordCrossings, ids, clock };
  const write = usageWriter(writer);
  const maintenance = new UsageMaintenance({
    storage: backgroundStorage(storage),
    clock,
    retention,
    onError: (error) => log.error({ err: error }, 'aggregating usage failed; retrying'),
  });
  const tally = new UsageTally({
    write,
    onError: (error) => log.error({ err: error }, 'storing usage failed; kept for the next flush'),
  });
  return {
    maintenance,
    tally,
    refusals: new RefusalService({ storage, secrets }),
    analytics: new AnalyticsService({
      storage,
      secrets,
      clock,
      retention,
      foldJournal: () => maintenance.foldJournal(),
    }),
    reports: new UsageReports({
      storage,
      // Reports are added to the minute buckets directly: the journal of their minute may already be folded.
      write: usageWriter({ ...writer, directKeysMax: Number.POSITIVE_INFINITY }),
      readKeys: (tenant, keyIds) => keysOfReport(storage.point, tenant, keyIds),
      sampler: tally.refusalSampler,
      clock,
    }),
  };
}
