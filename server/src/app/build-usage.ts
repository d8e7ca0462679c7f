import type { FastifyBaseLogger } from 'fastify';
import {
  AnalyticsService,
  DEFAULT_RETENTION,
  type Retention,
  UsageMaintenance,
  UsageReports,
  UsageTally,
  usageWriter,
} from '../features/analytics/index.ts';
import { firstUseEvents, keysOfReport } from '../features/api-keys/index.ts';
import type { Outbox } from '../features/changes/index.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Secrets } from '../kernel/crypto.ts';
import type { Storage } from '../storage/index.ts';

/** Builds the services that count, store and query usage. */
export function buildUsage(parts: {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly usageRetention?: Retention;
}) {
  const { storage, secrets, outbox, clock, log } = parts;
  const retention = parts.usageRetention ?? DEFAULT_RETENTION;
  const writer = { storage, outbox, describe: firstUseEvents, clock };
  const write = usageWriter(writer);
  const maintenance = new UsageMaintenance({
    storage,
    clock,
    retention,
    onError: (error) => log.error({ err: error }, 'aggregating usage failed; retrying'),
  });
  return {
    maintenance,
    tally: new UsageTally({
      write,
      onError: (error) =>
        log.error({ err: error }, 'storing usage failed; kept for the next flush'),
    }),
    analytics: new AnalyticsService({
      storage,
      secrets,
      clock,
      retention,
      foldJournal: () => maintenance.foldJournal(),
    }),
    reports: new UsageReports({
      storage,
      // Written directly to their minute, because the journal of that minute may already be folded.
      write: usageWriter({ ...writer, directKeysMax: Number.POSITIVE_INFINITY }),
      readKeys: (tenant, keyIds) => keysOfReport(storage.point, tenant, keyIds),
      clock,
    }),
  };
}
