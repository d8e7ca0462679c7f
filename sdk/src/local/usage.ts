import { type KeyOutcome, REFUSALS } from '@keyward/rules/outcomes.ts';
import type { ReportedRefusal } from '../generated/api-types.ts';
import { batchesOf } from '../validation/batches.ts';
import type { LocalConditions } from './conditions.ts';
import type { Entry } from './entry.ts';
import { RefusalSamples, reported, type SampledRefusal } from './refusal-samples.ts';

interface Count {
  readonly keyId: string;
  readonly outcome: KeyOutcome;
  readonly count: number;
  /** Sum of the costs of valid uses; left out if it equals `count`. */
  readonly cost?: number;
}

export interface Report {
  readonly reporter: string;
  readonly number: number;
  readonly agoMs: number;
  readonly counts: Count[];
  /** Samples of the refusals among the counts; left out if there are none. */
  readonly refusals?: ReportedRefusal[];
}

interface Waiting {
  readonly number: number;
  readonly cutAt: number;
  readonly counts: Count[];
  readonly samples: ReturnType<RefusalSamples['take']>;
}

const COUNTS_PER_REPORT = 500;
/** The most that the server accepts in one count. */
const COUNT_MAX = 1_000_000;
const COST_MAX = 1_000_000_000;
/** While this many reports wait, because the server is unreachable, counts stay in their entries. */
const REPORTS_WAITING_MAX = 64;
/** The server rejects reports older than twelve hours. */
const AGO_MS_MAX = 11 * 3_600_000;

/**
 * The usage of validations that were decided locally. Counts are collected in the entries → closed as numbered
 * reports → sent one after the other, each repeated under its number until the server confirms it. So nothing
 * is counted twice. Unconfirmed counts are lost by a crash, by a `close` that cannot send them, and after 11
 * hours without a connection.
 */
export class Usage {
  readonly #send: (report: Report) => Promise<boolean>;
  readonly #reporter = crypto.randomUUID();
  #dirty: Entry[] = [];
  readonly #samples = new RefusalSamples();
  #number = 0;
  readonly #waiting: Waiting[] = [];
  #sending: Promise<void> | null = null;

  /** `send` resolves to false if the report must be sent again later. */
  constructor(send: (report: Report) => Promise<boolean>) {
    this.#send = send;
  }

  /** The cost is counted if the outcome is `valid`. */
  count(entry: Entry, outcome: KeyOutcome, cost = 1): void {
    if (!entry.isDirty) {
      entry.isDirty = true;
      this.#dirty.push(entry);
    }
    if (outcome === 'valid') {
      entry.valid++;
      if (cost !== 1) entry.extraCost += cost - 1;
      return;
    }
    entry.refusals ??= {};
    entry.refusals[outcome] = (entry.refusals[outcome] ?? 0) + 1;
  }

  /** Counts a refusal, and keeps a sample of it for the next report. */
  refuse(entry: Entry, refusal: SampledRefusal, conditions: LocalConditions): void {
    this.count(entry, REFUSALS[refusal.code].counted);
    this.#samples.add(entry.record.id, refusal, conditions, performance.now());
  }

  /** Sends everything counted before the call; what cannot be sent waits for the next flush. */
  async flush(): Promise<void> {
    await this.#sending;
    this.#closeBatch();
    this.#sending ??= this.#sendWaiting().finally(() => {
      this.#sending = null;
    });
    await this.#sending;
  }

  get isEmpty(): boolean {
    return this.#dirty.length === 0 && this.#waiting.length === 0;
  }

  #closeBatch(): void {
    if (this.#waiting.length >= REPORTS_WAITING_MAX) return;
    const dirty = this.#dirty;
    this.#dirty = [];
    const allCounts = dirty.flatMap(takeCounts);
    const allSamples = this.#samples.take();
    for (let start = 0; start < allCounts.length; start += COUNTS_PER_REPORT) {
      const counts = allCounts.slice(start, start + COUNTS_PER_REPORT);
      const keyIds = new Set(counts.map(({ keyId }) => keyId));
      const ofKeys = allSamples.filter(({ keyId }) => keyIds.has(keyId));
      this.#waiting.push({
        number: ++this.#number,
        cutAt: performance.now(),
        counts,
        samples: samplesBeside(counts, ofKeys),
      });
    }
  }

  async #sendWaiting(): Promise<void> {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const now = performance.now();
      const agoMs = Math.max(0, Math.round(now - first.cutAt));
      const { number, counts, samples } = first;
      const refusals = samples.map((sample) => reported(sample, now));
      const report = { reporter: this.#reporter, number, agoMs, counts };
      const isDone =
        agoMs > AGO_MS_MAX ||
        (await this.#send({ ...report, ...(refusals.length > 0 && { refusals }) }));
      if (!isDone) return;
      this.#waiting.shift();
    }
  }
}

/** The first samples that fit into one report with the counts. The counts always fit. */
function samplesBeside(counts: Count[], samples: Waiting['samples']): Waiting['samples'] {
  if (samples.length === 0) return samples;
  const [first] = batchesOf<unknown>([counts, ...samples], 1 + samples.length);
  return samples.slice(0, first!.length - 1);
}

function takeCounts(entry: Entry): Count[] {
  const { valid, extraCost, refusals } = entry;
  const keyId = entry.record.id;
  entry.isDirty = false;
  entry.valid = 0;
  entry.extraCost = 0;
  entry.refusals = null;
  const refused = Object.entries(refusals ?? {}) as [KeyOutcome, number][];
  return [
    ...splitCount(keyId, 'valid', valid, valid + extraCost),
    ...refused.flatMap(([outcome, total]) => splitCount(keyId, outcome, total, total)),
  ];
}

/** Splits a total into counts that the server accepts: as few as possible, of about equal size. */
function splitCount(keyId: string, outcome: KeyOutcome, total: number, cost: number): Count[] {
  const counts: Count[] = [];
  let left = total;
  let costLeft = cost;
  for (let n = Math.max(Math.ceil(total / COUNT_MAX), Math.ceil(cost / COST_MAX)); n > 0; n--) {
    const part = Math.ceil(left / n);
    const partCost = Math.ceil(costLeft / n);
    counts.push({ keyId, outcome, count: part, ...(partCost !== part && { cost: partCost }) });
    left -= part;
    costLeft -= partCost;
  }
  return counts;
}
