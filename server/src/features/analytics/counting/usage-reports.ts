import type { KeyOutcome } from '@keyward/rules/outcomes.ts';
import type { Tenant } from '../../../kernel/authority.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { Storage } from '../../../storage/index.ts';
import { reportedRefusals } from '../refusals/report-samples.ts';
import type { RefusalSampler } from '../refusals/sampler.ts';
import type { ReportedRefusal } from '../refusals/schema.ts';
import { floorTo, MINUTE_MS } from '../usage-kinds.ts';
import { OpenCounts } from './open-counts.ts';
import { partOfUse } from './part-counts.ts';
import { checkReporterLimit, reporterName } from './reporters.ts';
import { closeBatch, type WriteUsage } from './usage-batch.ts';
import { declaredBy, UsedAccessKey, type UsedKey } from './usage-counters.ts';

/** Uses counted by a process that validates in its own memory. */
export interface UsageReport {
  /** Random id of the process. */
  readonly reporter: string;
  /** Increases with each report, so that a repeated report is recognized. */
  readonly number: number;
  /** How long ago the uses were counted. */
  readonly agoMs: number;
  readonly counts: readonly {
    readonly keyId: string;
    readonly outcome: KeyOutcome;
    readonly count: number;
    /** The sum for all these uses. Ignored if they are not valid. */
    readonly cost?: number;
    /** What all these requests were about. */
    readonly resource?: string;
  }[];
  /** Samples of the refusals among the counts. */
  readonly refusals?: readonly ReportedRefusal[];
}

/** The access key that a report is sent with. */
export interface ReportSender extends Tenant {
  readonly id: string;
  readonly seq: number;
}

/** Reads those keys of a report that its sender may see. */
export type ReadReportedKeys = (
  tenant: ReportSender,
  ids: readonly string[],
) => Promise<
  readonly {
    seq: number;
    id: string;
    project_id: string;
    project_resources: string | null;
    first_used_at: number | null;
  }[]
>;

interface UsageReportsParts {
  readonly storage: Storage;
  readonly write: WriteUsage;
  readonly readKeys: ReadReportedKeys;
  readonly sampler: RefusalSampler;
  readonly clock: Clock;
}

class ReportedKey implements UsedKey {
  readonly seq: number;
  readonly project: { readonly id: string };
  readonly resources: readonly string[] | null;
  firstUsedAt: number | null;

  constructor(row: Awaited<ReturnType<ReadReportedKeys>>[number]) {
    this.seq = row.seq;
    this.project = { id: row.project_id };
    this.resources = declaredBy(row.project_resources);
    this.firstUsedAt = row.first_used_at;
  }
}

class ReportingAccessKey extends UsedAccessKey {
  readonly seq: number;

  constructor(seq: number) {
    super();
    this.seq = seq;
  }
}

/**
 * Accepts uses that were counted in other processes. A report is written like a batch of the tally, under
 * the number that its sender gave it, so a report that is sent twice is counted once.
 */
export class UsageReports {
  readonly #parts: UsageReportsParts;

  constructor(parts: UsageReportsParts) {
    this.#parts = parts;
  }

  /** Ignores keys of other tenants. A report that names only such keys writes nothing. */
  async accept(sender: ReportSender, report: UsageReport): Promise<void> {
    const { storage, write, sampler, clock } = this.#parts;
    const now = clock();
    const at = now - report.agoMs;
    const minute = floorTo(at, MINUTE_MS);
    const keys = await this.#keysOf(sender, report);
    if (keys.size === 0) return;
    const { open, accessKey } = counted(sender, report, keys, at - minute);
    const reporter = reporterName(sender.id, report.reporter);
    await checkReporterLimit(storage, sender.id, reporter);
    accessKey.usedAt = now;
    const [counts] = open.take(minute);
    const refusals = reportedRefusals(sampler, sender, report, keys, now);
    const { batch } = closeBatch(report.number, minute, counts, [accessKey], refusals);
    await write(reporter, batch);
  }

  async #keysOf(sender: ReportSender, { counts }: UsageReport): Promise<Map<string, ReportedKey>> {
    const ids = [...new Set(counts.map(({ keyId }) => keyId))];
    const rows = await this.#parts.readKeys(sender, ids);
    return new Map(rows.map((row) => [row.id, new ReportedKey(row)]));
  }
}

function counted(
  sender: ReportSender,
  { counts }: UsageReport,
  keys: ReadonlyMap<string, ReportedKey>,
  ms: number,
) {
  const open = new OpenCounts();
  const accessKey = new ReportingAccessKey(sender.seq);
  for (const { keyId, outcome, count, cost = count, resource = null } of counts) {
    const key = keys.get(keyId);
    if (key === undefined) continue;
    const part = partOfUse(key.resources, resource, null);
    open.count(key, outcome, ms, count, cost, part);
    accessKey.countUse(outcome, count);
    if (outcome === 'valid') accessKey.countExtraCost(cost - count);
  }
  return { open, accessKey };
}
