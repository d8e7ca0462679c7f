import { setTimeout as sleep } from 'node:timers/promises';
import type { Insertable } from 'kysely';
import type { MakeId } from '../../../kernel/ids.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { insertRows, type Storage, type Tx } from '../../../storage/index.ts';
import type { DeliveriesTable } from '../../../storage/schema/webhooks.ts';
import type { Topic } from '../../changes/index.ts';
import type { ReadPrincipal } from '../author-rights.ts';
import { lockInactiveProjects } from '../deliveries/delivery-blockers.ts';
import { ValueRights } from '../events/value-rights.ts';
import type { Pace } from '../sending/pace.ts';
import { isSubscribed, type WebhookRow } from '../store.ts';
import {
  advanceReplay,
  nextEvents,
  type ReplayedEvent,
  type ReplayRow,
  runningReplays,
  webhookOf,
} from './store.ts';

/** Events queued in one transaction: every other writer waits while it runs. */
const EVENTS_PER_STEP = 100;

/** How often to look for running replays that a failure or a stopped node has left. */
const POLL_MS = 30_000;

interface ReplayRunnerParts {
  readonly storage: Storage;
  readonly ids: MakeId;
  readonly clock: Clock;
  readonly pace: Pick<Pace, 'perSecond'>;
  readonly readPrincipal: ReadPrincipal;
  /** Called after a commit that made deliveries due. */
  readonly wake: (webhookIds: readonly string[]) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Queues the events of running replays, a piece of each in turn, no faster than deliveries may be
 * sent: queueing earlier would only take time from validations. Deliveries and cursor are written in
 * one transaction, so a replay continues after a restart without missing or repeating an event.
 *
 * running → done, when no event is left; running → cancelled, when the webhook is deleted.
 */
export class ReplayRunner {
  readonly #parts: ReplayRunnerParts;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | null = null;
  /** There may be something to do. */
  #isRequested = false;
  readonly #stopping = new AbortController();

  constructor(parts: ReplayRunnerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), POLL_MS).unref();
    this.wake();
  }

  wake(): void {
    if (this.#isStopping) return;
    this.#isRequested = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  /** Stops after the current piece. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    await this.#working;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #work(): Promise<void> {
    try {
      while (this.#isRequested && !this.#isStopping) {
        this.#isRequested = false;
        for (const replay of await runningReplays(this.#parts.storage)) {
          if (this.#isStopping) return;
          if (!(await this.#queuePiece(replay))) this.#isRequested = true;
          await this.#waitForPace();
        }
      }
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  /** Waits as long as it takes to send a piece. */
  async #waitForPace(): Promise<void> {
    const ms = (EVENTS_PER_STEP * 1000) / this.#parts.pace.perSecond;
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  /** Returns whether the replay is finished. */
  async #queuePiece(replay: ReplayRow): Promise<boolean> {
    const hook = await webhookOf(this.#parts.storage.point, replay);
    const events = await nextEvents(this.#parts.storage.read, hook, replay, EVENTS_PER_STEP);
    const isLast = events.length < EVENTS_PER_STEP;
    const hasDue = await this.#parts.storage.transaction((tx) =>
      this.#queue(tx, replay, events, isLast),
    );
    if (hasDue) this.#parts.wake([replay.webhook_id]);
    return isLast;
  }

  async #queue(
    tx: Tx,
    replay: ReplayRow,
    found: readonly ReplayedEvent[],
    isLast: boolean,
  ): Promise<boolean> {
    const now = this.#parts.clock();
    const hook = await webhookOf(tx, replay);
    const events = await this.#deliverable(tx, hook, found, now);
    const queued = replay.queued + events.length;
    const moved = await advanceReplay(tx, replay, {
      cursor: found.at(-1)?.id ?? replay.cursor,
      queued,
      // The webhook may have changed since the events were counted.
      total: isLast ? queued : Math.max(replay.total, queued),
      status: isLast ? 'done' : 'running',
      updated_at: now,
    });
    if (!moved || events.length === 0) return false;
    const isLive = hook.status === 'live';
    const projectIds = new Set(events.flatMap((event) => event.project_id ?? []));
    const inactive = await lockInactiveProjects(tx, [...projectIds]);
    const deliveries = events.map((event) =>
      this.#delivery(replay, event, isLive && !inactive.has(event.project_id ?? ''), now),
    );
    await insertRows(tx, 'deliveries', deliveries);
    return deliveries.some(({ status }) => status === 'pending');
  }

  async #deliverable(
    tx: Tx,
    hook: WebhookRow,
    found: readonly ReplayedEvent[],
    now: number,
  ): Promise<ReplayedEvent[]> {
    const rights = new ValueRights(this.#parts.readPrincipal, tx, now);
    const events: ReplayedEvent[] = [];
    for (const event of found) {
      const { project_id: projectId } = event;
      const described = { type: event.type as Topic, accountId: hook.account_id, projectId };
      // Checked again: the webhook may have changed since the events were read.
      if (isSubscribed(hook, event) && (await rights.mayReceive(hook, described)))
        events.push(event);
    }
    return events;
  }

  /** With the priority of retries, so that new events go first. */
  #delivery(
    replay: ReplayRow,
    event: ReplayedEvent,
    isDue: boolean,
    now: number,
  ): Insertable<DeliveriesTable> {
    return {
      id: this.#parts.ids('dlv'),
      event_id: event.id,
      webhook_id: replay.webhook_id,
      account_id: replay.account_id,
      project_id: event.project_id,
      status: isDue ? 'pending' : 'held',
      lane: 1,
      attempts: 0,
      due_at: now,
      lease_token: null,
      lease_until: null,
      last_status_code: null,
      last_error: null,
      replay_id: replay.id,
      created_at: now,
      updated_at: now,
    };
  }
}
