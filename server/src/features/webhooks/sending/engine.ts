import { setTimeout as sleep } from 'node:timers/promises';
import type { MakeId } from '../../../kernel/ids.ts';
import { randomToken, type Secrets } from '../../../kernel/secrets/crypto.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { type AttemptWork, attempts } from '../../../kernel/tracing.ts';
import type { Storage } from '../../../storage/index.ts';
import type { WebhookAgent } from '../transport/guarded-agent.ts';
import { type AttemptResult, sendOnce } from '../transport/send.ts';
import { type Job, loadBatch } from './batch.ts';
import {
  allDueTimes,
  type Claimed,
  claimDue,
  extendLeases,
  freeAllLeases,
  nextDueTimes,
  releaseLeases,
} from './claims.ts';
import type { Pace } from './pace.ts';
import { releaseUnsent } from './release-unsent.ts';
import { requestFor } from './request.ts';
import { ResultQueue } from './result-queue.ts';
import { type Finished, retryTime, writeResults } from './results.ts';
import { SendSlots, type SlotReservation } from './send-slots.ts';
import type { Disabled } from './webhook-health.ts';

const DEADLINE_MS = 15_000;
const LEASE_MS = 10_000;
/** `wake` reports due deliveries. The refresh also finds those of stopped nodes, or whose `wake` was lost. */
const REFRESH_MS = 5_000;
/** Largest share of a reader's time for refreshes. */
const REFRESH_SHARE = 0.02;
const PAUSE_AFTER_FAILURE_MS = 1_000;
const RECHECK_MS = 1_000;
const RESULTS_WAIT_MS = 20;
const TIMER_MS_MAX = 60_000;
const STOP_TIMEOUT_MS = 5_000;
/** More results than this wait only if the database cannot be written; then nothing is sent. */
const UNWRITTEN_MAX = 1_000;

export interface EngineParts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly ids: MakeId;
  readonly clock: Clock;
  readonly random: () => number;
  readonly agent: WebhookAgent;
  readonly pace: Pace;
  readonly userAgent: string;
  /** Whether no other process uses the database; then leases found at the start are ended. */
  readonly ownsDatabase: boolean;
  /** For tests. */
  readonly refreshMs?: number;
  /** Timeout of one attempt, until the end of the response. Default 15 s. */
  readonly deadlineMs?: number;
  /** Length of a lease. Default 10 s; extended while the delivery is sent. */
  readonly leaseMs?: number;
  readonly onDisabled: (disabled: Disabled) => void;
  readonly onError: (error: unknown, message: string) => void;
}

/**
 * Sends due deliveries: claims them under a lease in a short transaction, sends them outside of any
 * transaction, and writes the results in batches. If the process dies, its unrecorded deliveries are
 * sent again when their lease ends, so none is lost and some may arrive twice.
 *
 *   new ──start──▶ running ──stop──▶ stopping (no claims; attempts in flight may finish) ──▶ stopped
 */
export class DeliveryEngine {
  readonly #parts: EngineParts;
  readonly #leaseMs: number;
  readonly #sendSlots = new SendSlots();
  readonly #results: ResultQueue;
  /** Leases of this node: in flight, or finished and not yet written. */
  readonly #leased = new Map<string, Claimed>();
  readonly #sending = new Set<Promise<void>>();
  readonly attempts: Record<AttemptResult['outcome'], number> = {
    delivered: 0,
    failed: 0,
    gone: 0,
  };
  #state: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  #passing: Promise<void> | null = null;
  #isPassWanted = false;
  #paused = false;
  #timer: NodeJS.Timeout | undefined;
  #refreshing: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#leaseMs = parts.leaseMs ?? LEASE_MS;
    this.#results = new ResultQueue(
      (finished) => this.#record(finished),
      (error) => parts.onError(error, 'Writing the results of deliveries failed; retrying'),
      () => Math.max(RESULTS_WAIT_MS, parts.pace.gatherMs),
    );
  }

  get inFlight(): number {
    return this.#sending.size;
  }

  async start(): Promise<void> {
    if (this.#parts.ownsDatabase) await freeAllLeases(this.#parts.storage);
    this.#state = 'running';
    this.#heartbeat = setInterval(() => void this.#beat(), this.#leaseMs / 3).unref();
    await this.#refresh();
  }

  /** Called after a commit that made deliveries of these webhooks due. */
  wake(webhookIds: readonly string[]): void {
    const now = this.#parts.clock();
    for (const webhookId of webhookIds) this.#sendSlots.wake(webhookId, now);
    this.#pass();
  }

  async stop(): Promise<void> {
    if (this.#state !== 'running') return;
    this.#state = 'stopping';
    clearTimeout(this.#timer);
    clearTimeout(this.#refreshing);
    await this.#passing;
    const timeout = new AbortController();
    await Promise.race([
      Promise.all(this.#sending),
      sleep(STOP_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => {}),
    ]);
    timeout.abort();
    // Later results are not recorded: the leases of those deliveries are released.
    this.#state = 'stopped';
    clearInterval(this.#heartbeat);
    await this.#results.drain();
    await releaseLeases(this.#parts.storage, [...this.#leased.values()]);
    await this.#parts.agent.destroy();
  }

  /**
   * Starts a pass, which claims due deliveries and sends them. One runs at a time; calls during a pass are
   * combined into the next one.
   */
  #pass(): void {
    if (this.#state !== 'running' || this.#paused) return;
    this.#isPassWanted = true;
    this.#passing ??= this.#passes().finally(() => {
      this.#passing = null;
      if (this.#isPassWanted) this.#pass();
    });
  }

  async #passes(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#isPassWanted && this.#state === 'running') {
      this.#isPassWanted = false;
      // Writing the results starts the next pass.
      if (this.#results.size > UNWRITTEN_MAX) return;
      try {
        if (await this.#claimAndSend()) await sleep(this.#parts.pace.gatherMs);
      } catch (error) {
        this.#parts.onError(error, 'Claiming deliveries failed; retrying');
        return this.#pause();
      }
    }
    const waitMs = this.#sendSlots.nextDueAt() - this.#parts.clock();
    if (waitMs === Infinity || this.#state !== 'running') return;
    // Already due: only the pace delays it.
    const ms = waitMs <= 0 ? this.#parts.pace.gatherMs : Math.min(waitMs, TIMER_MS_MAX);
    this.#timer = setTimeout(() => this.#pass(), ms).unref();
  }

  #pause(): void {
    this.#paused = true;
    this.#isPassWanted = false;
    this.#timer = setTimeout(() => {
      this.#paused = false;
      this.#pass();
    }, PAUSE_AFTER_FAILURE_MS).unref();
  }

  /** False if nothing was due. */
  async #claimAndSend(): Promise<boolean> {
    const { storage, clock } = this.#parts;
    const now = clock();
    const reservations = this.#sendSlots.reserve(now, this.#parts.pace.allowance());
    if (reservations.length === 0) return false;
    const lease = { now, until: now + this.#leaseMs, token: randomToken() };
    let claimed: Claimed[];
    try {
      claimed = await storage.transaction((tx) => claimDue(tx, reservations, lease));
    } catch (error) {
      for (const { webhookId, slots } of reservations)
        this.#sendSlots.release(webhookId, slots, now);
      throw error;
    }
    this.#parts.pace.onStarted(claimed.length);
    try {
      const [batch] = await Promise.all([
        loadBatch(storage, claimed),
        this.#releaseUnusedSlots(reservations, claimed, now),
      ]);
      const unsent = [...batch.hold, ...batch.cancel];
      if (unsent.length > 0) await releaseUnsent(storage, batch, clock());
      // Checked again soon: a delivery that was to be held may have been released meanwhile.
      for (const { webhookId } of unsent) this.#sendSlots.release(webhookId, 1, now + RECHECK_MS);
      if (this.#state === 'running') for (const job of batch.send) this.#begin(job);
      else
        await releaseLeases(
          storage,
          batch.send.map(({ delivery }) => delivery),
        );
    } catch (error) {
      for (const { webhookId } of claimed) this.#sendSlots.release(webhookId, 1, lease.until);
      throw error;
    }
    return claimed.length > 0;
  }

  /** A webhook that used all its slots may have more due now. For the others, the database is queried. */
  async #releaseUnusedSlots(
    reservations: readonly SlotReservation[],
    claimed: readonly Claimed[],
    now: number,
  ): Promise<void> {
    const got = Map.groupBy(claimed, ({ webhookId }) => webhookId);
    const unused = ({ webhookId, slots }: SlotReservation) =>
      slots - (got.get(webhookId)?.length ?? 0);
    const short = reservations
      .filter((reservation) => unused(reservation) > 0)
      .map(({ webhookId }) => webhookId);
    const times = await nextDueTimes(this.#parts.storage, short).catch(() => null);
    for (const reservation of reservations) {
      const { webhookId } = reservation;
      const isShort = unused(reservation) > 0;
      const dueAt = isShort ? (times?.get(webhookId) ?? Infinity) : now;
      this.#sendSlots.release(
        webhookId,
        unused(reservation),
        times === null && isShort ? now : dueAt,
      );
    }
  }

  #begin(job: Job): void {
    this.#leased.set(job.delivery.id, job.delivery);
    const sending = this.#send(job).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #send(job: Job): Promise<void> {
    const { delivery, event } = job;
    const startedAt = this.#parts.clock();
    const attempt = await this.#attempt(job, startedAt);
    this.#sendSlots.finished(delivery.webhookId, attempt.outcome === 'delivered');
    if (this.#state === 'stopped') return;
    this.attempts[attempt.outcome]++;
    const retryAt = retryTime(delivery, attempt, this.#parts.clock(), this.#parts.random());
    const eventHasValue = event.sealed_data !== null;
    this.#results.add({ delivery, eventHasValue, startedAt, attempt, retryAt });
    this.#pass();
  }

  /** An error in preparing a delivery counts as a failed attempt, so that its retries end like any others. */
  async #attempt(job: Job, now: number): Promise<AttemptResult> {
    const { agent, secrets, userAgent, onError, deadlineMs = DEADLINE_MS } = this.#parts;
    const { id: eventId, type: topic, traceparent } = job.event;
    const work: AttemptWork = {
      ...{ eventId, topic, traceparent, statusCode: null },
      webhookId: job.webhook.id,
    };
    try {
      return await attempts.tracePromise(async () => {
        const request = requestFor(job, secrets, userAgent, now, work.traceparent);
        const result = await sendOnce({ ...request, agent, deadlineMs, now });
        work.statusCode = result.statusCode;
        return result;
      }, work);
    } catch (error) {
      onError(error, 'Preparing a delivery failed; counted as a failed attempt');
      return {
        outcome: 'failed',
        statusCode: null,
        error: 'the attempt could not be made',
        durationMs: 0,
        responseBody: '',
        retryAfterMs: null,
      };
    }
  }

  async #record(finished: readonly Finished[]): Promise<void> {
    const { storage, ids, clock, onDisabled } = this.#parts;
    const disabled = await writeResults(storage, finished, ids, clock());
    for (const { delivery, retryAt } of finished) {
      this.#leased.delete(delivery.id);
      if (retryAt !== null) this.#sendSlots.wake(delivery.webhookId, retryAt);
    }
    for (const each of disabled) onDisabled(each);
    this.#pass();
  }

  async #refresh(): Promise<void> {
    const startedAt = performance.now();
    try {
      const times = await allDueTimes(this.#parts.storage);
      for (const [webhookId, dueAt] of times) this.#sendSlots.wake(webhookId, dueAt);
    } catch (error) {
      this.#parts.onError(error, 'Looking for due deliveries failed; retrying');
    }
    if (this.#state !== 'running') return;
    this.#pass();
    const { refreshMs = REFRESH_MS } = this.#parts;
    const waitMs = Math.max((performance.now() - startedAt) / REFRESH_SHARE, refreshMs);
    this.#refreshing = setTimeout(() => void this.#refresh(), waitMs).unref();
  }

  async #beat(): Promise<void> {
    const { storage, clock, onError } = this.#parts;
    if (this.#leased.size === 0) return;
    await extendLeases(storage, [...this.#leased.values()], clock() + this.#leaseMs).catch(
      (error) => onError(error, 'Extending the leases of deliveries failed; retrying'),
    );
  }
}
