import type { Tenant } from '../../kernel/authority.ts';
import type { Clock } from '../../kernel/clock.ts';
import { OpenCounts } from './open-counts.ts';
import type { KeyOutcome } from './outcomes.ts';
import { floorTo, MINUTE_MS } from './subjects.ts';
import { cutBatch } from './usage-batch.ts';
import type { WriteUsage } from './usage-tally.ts';
import { UsedAccessKey, type UsedKey } from './used.ts';

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
  readonly #write: WriteUsage;
  readonly #readKeys: ReadReportedKeys;
  readonly #clock: Clock;

  constructor(parts: { write: WriteUsage; readKeys: ReadReportedKeys; clock: Clock }) {
    this.#write = parts.write;
    this.#readKeys = parts.readKeys;
    this.#clock = parts.clock;
  }

  /** Keys that are not the sender's, or nobody's, are passed over without a word. */
  async take(sender: Reporter, report: UsageReport): Promise<void> {
    const now = this.#clock();
    const at = now - report.agoMs;
    const minute = floorTo(at, MINUTE_MS);
    const { open, accessKey } = await this.#counted(sender, report, at - minute);
    accessKey.usedAt = now;
    const [counts] = open.take(minute);
    const { batch } = cutBatch(report.number, minute, counts, [accessKey]);
    await this.#write(`${sender.id} ${report.reporter}`, batch);
  }

  async #counted(sender: Reporter, { counts }: UsageReport, ms: number) {
    const open = new OpenCounts();
    const ids = [...new Set(counts.map(({ keyId }) => keyId))];
    const keys = new Map<string, ReportedKey>();
    for (const row of await this.#readKeys(sender, ids)) keys.set(row.id, new ReportedKey(row));
    const accessKey = new ReportingAccessKey(sender.seq);
    for (const { keyId, outcome, count } of counts) {
      const key = keys.get(keyId);
      if (key === undefined) continue;
      open.count(key, outcome, ms, count);
      accessKey.countUse(outcome, count);
    }
    return { open, accessKey };
  }
}
