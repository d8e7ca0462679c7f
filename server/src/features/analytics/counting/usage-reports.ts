import type { Tenant } from '../../../kernel/authority.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Storage } from '../../../storage/index.ts';
import type { KeyOutcome } from '../outcomes.ts';
import { floorTo, MINUTE_MS } from '../usage-kinds.ts';
import { OpenCounts } from './open-counts.ts';
import { demandReporter, reporterName } from './reporters.ts';
import { cutBatch } from './usage-batch.ts';
import { UsedAccessKey, type UsedKey } from './usage-counters.ts';
import type { WriteUsage } from './usage-tally.ts';

/** One process that validates in its own memory tells of some of its time. */
export interface UsageReport {
  /** Random, of one process. */
  readonly reporter: string;
  /** Counts up. A report that was had already is recognised by it. */
  readonly number: number;
  /** How long ago the uses were, at most. */
  readonly agoMs: number;
  readonly counts: readonly {
    readonly keyId: string;
    readonly outcome: KeyOutcome;
    readonly count: number;
  }[];
}

/** The access key that a report is sent with. */
export interface Reporter extends Tenant {
  readonly id: string;
  readonly seq: number;
}

/** The keys of a report that its sender may see, and what counting them needs. */
export type ReadReportedKeys = (
  tenant: Reporter,
  ids: readonly string[],
) => Promise<
  readonly { seq: number; id: string; project_id: string; first_used_at: number | null }[]
>;

class ReportedKey implements UsedKey {
  readonly seq: number;
  readonly project: { readonly id: string };
  firstUsedAt: number | null;

  constructor(row: Awaited<ReturnType<ReadReportedKeys>>[number]) {
    this.seq = row.seq;
    this.project = { id: row.project_id };
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
 * Uses that were counted elsewhere. A report is a batch like those of the tally, written whole and
 * once under its sender's own number: what is sent again, after a lost answer or a crash, is found
 * written.
 */
export class UsageReports {
  readonly #storage: Storage;
  readonly #write: WriteUsage;
  readonly #readKeys: ReadReportedKeys;
  readonly #clock: Clock;

  constructor(parts: {
    storage: Storage;
    write: WriteUsage;
    readKeys: ReadReportedKeys;
    clock: Clock;
  }) {
    this.#storage = parts.storage;
    this.#write = parts.write;
    this.#readKeys = parts.readKeys;
    this.#clock = parts.clock;
  }

  /** Keys that are not the sender's are ignored; a report with no other leaves nothing behind. */
  async take(sender: Reporter, report: UsageReport): Promise<void> {
    const now = this.#clock();
    const at = now - report.agoMs;
    const minute = floorTo(at, MINUTE_MS);
    const keys = await this.#keysOf(sender, report);
    if (keys.size === 0) return;
    const { open, accessKey } = counted(sender, report, keys, at - minute);
    const reporter = reporterName(sender.id, report.reporter);
    await demandReporter(this.#storage, sender.id, reporter);
    accessKey.usedAt = now;
    const [counts] = open.take(minute);
    const { batch } = cutBatch(report.number, minute, counts, [accessKey]);
    await this.#write(reporter, batch);
  }

  async #keysOf(sender: Reporter, { counts }: UsageReport): Promise<Map<string, ReportedKey>> {
    const ids = [...new Set(counts.map(({ keyId }) => keyId))];
    const rows = await this.#readKeys(sender, ids);
    return new Map(rows.map((row) => [row.id, new ReportedKey(row)]));
  }
}

function counted(
  sender: Reporter,
  { counts }: UsageReport,
  keys: ReadonlyMap<string, ReportedKey>,
  ms: number,
) {
  const open = new OpenCounts();
  const accessKey = new ReportingAccessKey(sender.seq);
  for (const { keyId, outcome, count } of counts) {
    const key = keys.get(keyId);
    if (key === undefined) continue;
    open.count(key, outcome, ms, count);
    accessKey.countUse(outcome, count);
  }
  return { open, accessKey };
}
