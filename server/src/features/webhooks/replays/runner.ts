import { setTimeout as sleep } from 'node:timers/promises';
import type { Insertable } from 'kysely';
import type { Clock } from '../../../kernel/clock.ts';
import type { MakeId } from '../../../kernel/ids.ts';
import { insertRows, type Storage, type Tx } from '../../../storage/index.ts';
import type { DeliveriesTable } from '../../../storage/schema.ts';
import { inactiveProjects } from '../deliveries/delivery-blockers.ts';
import type { Pace } from '../sending/pace.ts';
import {
  advanceReplay,
  isWanted,
  nextEvents,
  type ReplayedEvent,
  type ReplayRow,
  runningReplays,
  webhookOf,
} from './store.ts';

/** Events queued in one transaction: every other writer waits while it runs. */
const PIECE = 100;

/** After a failure, and for what another node left behind when it stopped. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Works running replays off, one piece of each in turn, and no faster than deliveries may go out: what
 * is queued sooner only waits, and validations would have waited for it. Its deliveries and its cursor move in one
 * transaction, so that a replay goes on after a restart without leaving out or doubling an event.
 *
 * running → done, when no event is left; running → cancelled, when the webhook is deleted.
 */
export class ReplayRunner {
  readonly #storage: Storage;
  readonly #ids: MakeId;
  readonly #clock: Clock;
  readonly #pace: Pick<Pace, 'perSecond'>;
  readonly #wakeEngine: (webhookIds: readonly string[]) => void;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | null = null;
  #askedAgain = false;
  readonly #stopping = new AbortController();

  constructor(parts: {
    storage: Storage;
    ids: MakeId;
    clock: Clock;
    pace: Pick<Pace, 'perSecond'>;
    /** Called after a commit that made deliveries due. */
    wake: (webhookIds: readonly string[]) => void;
    onError: (error: unknown) => void;
  }) {
    this.#storage = parts.storage;
    this.#ids = parts.ids;
    this.#clock = parts.clock;
    this.#pace = parts.pace;
    this.#wakeEngine = parts.wake;
    this.#onError = parts.onError;
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), LOOK_AGAIN_MS).unref();
    this.wake();
  }

  /** There may be something to do. */
  wake(): void {
    if (this.#isStopping) return;
    this.#askedAgain = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  /** Ends after the piece that is under way. */
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
      while (this.#askedAgain && !this.#isStopping) {
        this.#askedAgain = false;
        for (const replay of await runningReplays(this.#storage)) {
          if (this.#isStopping) return;
          if (!(await this.#piece(replay))) this.#askedAgain = true;
          await this.#rest();
        }
      }
    } catch (error) {
      this.#onError(error);
    }
  }

  /** For as long as it takes to send a piece. */
  async #rest(): Promise<void> {
    const ms = (PIECE * 1000) / this.#pace.perSecond;
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  /** Answers whether the replay is over. */
  async #piece(replay: ReplayRow): Promise<boolean> {
    const hook = await webhookOf(this.#storage.point, replay);
    const events = await nextEvents(this.#storage.read, hook, replay, PIECE);
    const isLast = events.length < PIECE;
    const hasDue = await this.#storage.transaction((tx) => this.#queue(tx, replay, events, isLast));
    if (hasDue) this.#wakeEngine([replay.webhook_id]);
    return isLast;
  }

  async #queue(
    tx: Tx,
    replay: ReplayRow,
    found: readonly ReplayedEvent[],
    isLast: boolean,
  ): Promise<boolean> {
    const now = this.#clock();
    const hook = await webhookOf(tx, replay);
    const events = found.filter((event) => isWanted(hook, event));
    const queued = replay.queued + events.length;
    const moved = await advanceReplay(tx, replay, {
      cursor: found.at(-1)?.id ?? replay.cursor,
      queued,
      // Topics and projects of the webhook may have changed since the events were counted.
      total: isLast ? queued : Math.max(replay.total, queued),
      status: isLast ? 'done' : 'running',
      updated_at: now,
    });
    if (!moved || events.length === 0) return false;
    const isLive = hook.status === 'live';
    const projectIds = new Set(events.flatMap((event) => event.project_id ?? []));
    const inactive = await inactiveProjects(tx, [...projectIds]);
    const deliveries = events.map((event) =>
      this.#delivery(replay, event, isLive && !inactive.has(event.project_id ?? ''), now),
    );
    await insertRows(this.#storage, tx, 'deliveries', deliveries);
    return deliveries.some(({ status }) => status === 'pending');
  }

  /** In the lane of retries: what happens now goes ahead of what is told again. */
  #delivery(
    replay: ReplayRow,
    event: ReplayedEvent,
    isDue: boolean,
    now: number,
  ): Insertable<DeliveriesTable> {
    return {
      id: this.#ids('dlv'),
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
