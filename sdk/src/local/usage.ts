import type { Entry, LocalOutcome } from './entry.ts';

interface Count {
  readonly keyId: string;
  readonly outcome: LocalOutcome;
  readonly count: number;
}

export interface Report {
  readonly reporter: string;
  readonly number: number;
  readonly agoMs: number;
  readonly counts: Count[];
}

interface Waiting {
  readonly number: number;
  readonly cutAt: number;
  readonly counts: Count[];
}

const COUNTS_PER_REPORT = 500;
const COUNT_MAX = 1_000_000;
/** While as many wait, because the server is away, counts stay on their keys. */
const REPORTS_WAITING_MAX = 64;
/** The server takes nothing older than twelve hours. */
const AGO_MS_MAX = 11 * 3_600_000;

/**
 * What the server does not see. Counts stand on their keys → are cut into numbered reports → are
 * sent one after the other, each as it is until it is answered. So nothing is counted twice, a close
 * loses nothing, and a crash what was counted since the last report.
 */
export class Usage {
  readonly #send: (report: Report) => Promise<boolean>;
  readonly #reporter = crypto.randomUUID();
  #dirty: Entry[] = [];
  #number = 0;
  readonly #waiting: Waiting[] = [];
  #sending: Promise<void> | null = null;

  /** `send` answers false when the report may be sent again later. */
  constructor(send: (report: Report) => Promise<boolean>) {
    this.#send = send;
  }

  count(entry: Entry, outcome: LocalOutcome): void {
    if (!entry.isDirty) {
      entry.isDirty = true;
      this.#dirty.push(entry);
    }
    if (outcome === 'valid') entry.valid++;
    else if (outcome === 'rate_limited') entry.rateLimited++;
    else if (outcome === 'expired') entry.expired++;
    else entry.domainDenied++;
  }

  /** Everything counted before the call is sent after it, or waits for the next. */
  async flush(): Promise<void> {
    await this.#sending;
    this.#cut();
    this.#sending ??= this.#sendWaiting().finally(() => {
      this.#sending = null;
    });
    await this.#sending;
  }

  get isEmpty(): boolean {
    return this.#dirty.length === 0 && this.#waiting.length === 0;
  }

  #cut(): void {
    if (this.#waiting.length >= REPORTS_WAITING_MAX) return;
    const dirty = this.#dirty;
    this.#dirty = [];
    const counts = dirty.flatMap(takeCounts);
    for (let start = 0; start < counts.length; start += COUNTS_PER_REPORT)
      this.#waiting.push({
        number: ++this.#number,
        cutAt: performance.now(),
        counts: counts.slice(start, start + COUNTS_PER_REPORT),
      });
  }

  async #sendWaiting(): Promise<void> {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const agoMs = Math.max(0, Math.round(performance.now() - first.cutAt));
      const { number, counts } = first;
      const isOver =
        agoMs > AGO_MS_MAX ||
        (await this.#send({ reporter: this.#reporter, number, agoMs, counts }));
      if (!isOver) return;
      this.#waiting.shift();
    }
  }
}

function takeCounts(entry: Entry): Count[] {
  const keyId = entry.record.id;
  const counts = [
    ...pieces(keyId, 'valid', entry.valid),
    ...pieces(keyId, 'rate_limited', entry.rateLimited),
    ...pieces(keyId, 'expired', entry.expired),
    ...pieces(keyId, 'domain_denied', entry.domainDenied),
  ];
  entry.isDirty = false;
  entry.valid = 0;
  entry.rateLimited = 0;
  entry.expired = 0;
  entry.domainDenied = 0;
  return counts;
}

function pieces(keyId: string, outcome: LocalOutcome, total: number): Count[] {
  const counts: Count[] = [];
  for (let left = total; left > 0; left -= COUNT_MAX)
    counts.push({ keyId, outcome, count: Math.min(left, COUNT_MAX) });
  return counts;
}
