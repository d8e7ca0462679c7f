import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { BASE32, idFloor } from '../../kernel/ids.ts';
import { isoTime } from '../../kernel/time/clock.ts';
import type { Storage, Tx } from '../../storage/index.ts';
import type { UsagePeriodsTable } from '../../storage/schema/signals.ts';
import { type PeriodPage, readPeriod } from '../analytics/index.ts';
import type { Outbox } from '../changes/index.ts';
import { PERIOD_MS, type UsageEvents, usageEventsOf } from '../projects/index.ts';

/**
 * For 12 hours, late usage is still counted in the minute in which it happened. 15 minutes more allow for
 * clocks that differ and slow commits; then a period no longer changes.
 */
const FINAL_AFTER_MS = 12 * PERIOD_MS.hour + 15 * 60_000;
const ROWS_MAX = 500;
/** If the wall clock jumps by more than this, it is not trusted at first. */
const JUMP_MS = 15 * 60_000;

interface UsagePeriodsParts {
  readonly storage: Storage;
  readonly outbox: Outbox;
  /** Makes all counts readable. */
  readonly foldJournal: () => Promise<void>;
  /** Usage by hour from before this time may be deleted. Usage by day is kept. */
  readonly hoursKeptFrom: (now: number) => number;
  /** Monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

type Progress = Selectable<UsagePeriodsTable>;

interface ReportingProject {
  readonly id: string;
  readonly accountId: string;
  readonly settings: UsageEvents;
}

/**
 * Sends `usage.period`: consecutive periods of a project, in parts of at most 500 rows. `usage_periods`
 * says which part is next; it moves in the transaction that writes the event, so every part is sent
 * exactly once, by the first node that commits it.
 */
export class UsagePeriods {
  readonly #parts: UsagePeriodsParts;
  /** Wall clock minus monotonic clock: the last value, and the last value that was trusted. */
  #offset: number | null = null;
  #trustedOffset = 0;
  #jumpedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: UsagePeriodsParts) {
    this.#parts = parts;
  }

  /** Sends the next part of each project that has one. Returns whether there may be more. */
  async step(now: number): Promise<boolean> {
    if (this.#isPaused(now)) return false;
    let hasMore = false;
    for (const { project, progress } of await this.#projects()) {
      const end = endOf(progress.start, project.settings.interval);
      if (now < end + FINAL_AFTER_MS) continue;
      hasMore = true;
      const keptFrom = this.#parts.hoursKeptFrom(now);
      if (project.settings.interval === 'hour' && progress.start < keptFrom) {
        await this.#parts.storage.transaction((tx) => move(tx, progress, periodFrom(keptFrom)));
        continue;
      }
      if (progress.part === 1) await this.#parts.foldJournal();
      await this.#send(project, progress, end, now);
    }
    return hasMore;
  }

  /**
   * A period that is sent too early would miss what is counted in it afterwards. So a clock that has jumped
   * is trusted only after `FINAL_AFTER_MS`, or when it has jumped back to the trusted time. Until then,
   * events are paused if the clock is ahead of the trusted time.
   */
  #isPaused(now: number): boolean {
    const elapsed = this.#parts.elapsed();
    const offset = now - elapsed;
    if (this.#offset === null) this.#trustedOffset = offset;
    else if (Math.abs(offset - this.#offset) > JUMP_MS) this.#jumpedAt = elapsed;
    this.#offset = offset;
    const isNear = Math.abs(offset - this.#trustedOffset) <= JUMP_MS;
    if (isNear || elapsed >= this.#jumpedAt + FINAL_AFTER_MS) this.#trustedOffset = offset;
    return offset > this.#trustedOffset;
  }

  /** Active projects that send usage events. An inactive project sends its periods when it is reactivated. */
  async #projects(): Promise<{ project: ReportingProject; progress: Progress }[]> {
    const rows = await this.#parts.storage.read
      .selectFrom('usage_periods')
      .innerJoin('projects', 'projects.id', 'usage_periods.project_id')
      .selectAll('usage_periods')
      .select(['account_id', 'usage_events'])
      .where('is_active', '=', 1)
      .where('usage_events', 'is not', null)
      .orderBy('project_id')
      .execute();
    return rows.map(({ account_id, usage_events, ...progress }) => ({
      project: {
        id: progress.project_id,
        accountId: account_id,
        // All parts of a period have the settings of the first.
        settings: usageEventsOf(progress.settings ?? usage_events)!,
      },
      progress,
    }));
  }

  async #send(
    project: ReportingProject,
    progress: Progress,
    end: number,
    now: number,
  ): Promise<void> {
    const { storage, outbox } = this.#parts;
    const { id: projectId, accountId, settings } = project;
    const { start, part, after } = progress;
    const { groupBy } = settings;
    const period = { accountId, projectId, groupBy, from: start, until: end };
    const page = await readPeriod(storage.read, period, after, ROWS_MAX);
    const data = dataOf(project, progress, end, page);
    // The time in the id orders the parts, so that a replay sends them in order.
    const id = eventId(end + FINAL_AFTER_MS + part, JSON.stringify(data));
    const next =
      page.after === null
        ? periodFrom(end)
        : { start, part: part + 1, after: page.after, settings: JSON.stringify(settings) };
    const webhookIds = await storage.transaction(async (tx) => {
      // Another node has sent this part.
      if (!(await move(tx, progress, next))) return [];
      // This part may have been sent while the clock was ahead, before the events were turned off and on again.
      const sent = tx.selectFrom('events').select('id').where('id', '=', id);
      if ((await sent.executeTakeFirst()) !== undefined) return [];
      const event = { id, type: 'usage.period', accountId, projectId, data, isBulk: true } as const;
      return outbox.write(tx, [event], now);
    });
    outbox.wake(webhookIds);
  }
}

const periodFrom = (start: number) => ({ start, part: 1, after: '', settings: null });

/** False: another node has moved the progress already. */
async function move(tx: Tx, from: Progress, to: Omit<Progress, 'project_id'>): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('usage_periods')
    .set(to)
    .where('project_id', '=', from.project_id)
    .where('start', '=', from.start)
    .where('part', '=', from.part)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The end of the UTC interval that contains `start`. After a change of settings, a period may be shorter. */
const endOf = (start: number, interval: UsageEvents['interval']): number =>
  (Math.floor(start / PERIOD_MS[interval]) + 1) * PERIOD_MS[interval];

const dataOf = (
  { id: projectId, settings }: ReportingProject,
  { start, part }: Progress,
  end: number,
  { rows, after }: PeriodPage,
) => ({
  projectId,
  interval: settings.interval,
  groupBy: settings.groupBy,
  start: isoTime(start),
  end: isoTime(end),
  part,
  isLast: after === null,
  rows,
});

/** Begins with a time, like all ids. The rest is a hash, so that receivers recognize a repeated event. */
function eventId(time: number, content: string): string {
  const digest = hash('sha256', content, 'buffer');
  let suffix = '';
  for (const byte of digest.subarray(0, 16)) suffix += BASE32[byte % 32];
  return idFloor('evt', time).slice(0, 'evt_'.length + 10) + suffix;
}
