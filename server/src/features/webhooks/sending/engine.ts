import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../kernel/clock.ts';
import { randomToken, type Secrets } from '../../../kernel/crypto.ts';
import type { MakeId } from '../../../kernel/ids.ts';
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
  LEASE_MS,
  nextDueTimes,
  releaseLeases,
} from './claims.ts';
import { type Ask, Lanes } from './lanes.ts';
import type { Pace } from './pace.ts';
import { requestFor } from './request.ts';
import { ResultQueue } from './result-queue.ts';
import { type Finished, retryTime, writeResults } from './results.ts';
import { settleUnsent } from './unsent.ts';
import type { Disabled } from './webhook-health.ts';

const DEADLINE_MS = 15_000;
const HEARTBEAT_MS = Math.floor(LEASE_MS / 3);
/** Everything due is known from wakes; this finds what other nodes left and what a wake missed. */
const REFRESH_MS = 5_000;
/** A look at very many webhooks takes at most this share of a reader's time. */
const REFRESH_SHARE = 0.02;
const PAUSE_AFTER_FAILURE_MS = 1_000;
const LOOK_AGAIN_MS = 1_000;
const RESULTS_WAIT_MS = 20;
const TIMER_MS_MAX = 60_000;
const STOP_PATIENCE_MS = 5_000;
/** More results than this wait only when the database cannot be written: then nothing new is sent. */
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
  /** One process owns the database, so that every lease found at the start is a dead one's. */
  readonly ownsDatabase: boolean;
  /** For tests that must do without it. */
  readonly refreshMs?: number;
  /** For one attempt, to the end of the answer: 15 s unless a test says otherwise. */
  readonly deadlineMs?: number;
  readonly onDisabled: (disabled: Disabled) => void;
  readonly onError: (error: unknown, doing: string) => void;
}

/**
 * Sends what is due: claims under a lease in a short transaction, HTTP outside of any, results in
 * batches. A process that dies at any point leaves deliveries that are either recorded or sent
 * again when their lease is over, so that none is lost and some may arrive twice.
 *
 *   new ──start──▶ running ──stop──▶ stopping (no claims; what is in flight may end) ──▶ stopped
 */
export class DeliveryEngine {
  readonly #parts: EngineParts;
  readonly #lanes = new Lanes();
  readonly #results: ResultQueue;
  /** Leases that are ours: in flight, or sent and not yet written. */
  readonly #leased = new Map<string, Claimed>();
  readonly #sending = new Set<Promise<void>>();
  readonly attempts: Record<AttemptResult['outcome'], number> = {
    delivered: 0,
    failed: 0,
    gone: 0,
  };
  #state: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  #passing: Promise<void> | null = null;
  #wanted = false;
  #paused = false;
  #timer: NodeJS.Timeout | undefined;
  #refreshing: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#results = new ResultQueue(
      (finished) => this.#record(finished),
      (error) => parts.onError(error, 'results of deliveries could not be written; kept'),
      () => Math.max(RESULTS_WAIT_MS, parts.pace.gatherMs),
    );
  }

  get inFlight(): number {
    return this.#sending.size;
  }

  async start(): Promise<void> {
    if (this.#parts.ownsDatabase) await freeAllLeases(this.#parts.storage);
    this.#state = 'running';
    this.#heartbeat = setInterval(() => void this.#beat(), HEARTBEAT_MS).unref();
    await this.#refresh();
  }

  /** Something of these may be due now. Called after the commit that made it so. */
  wake(webhookIds: readonly string[]): void {
    const now = this.#parts.clock();
    for (const webhookId of webhookIds) this.#lanes.wake(webhookId, now);
    this.#pass();
  }

  async stop(): Promise<void> {
    if (this.#state !== 'running') return;
    this.#state = 'stopping';
    clearTimeout(this.#timer);
    clearTimeout(this.#refreshing);
    await this.#passing;
    const patience = new AbortController();
    await Promise.race([
      Promise.all(this.#sending),
      sleep(STOP_PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => {}),
    ]);
    patience.abort();
    // From here on what comes back is not recorded: it is given back as it was claimed.
    this.#state = 'stopped';
    clearInterval(this.#heartbeat);
    await this.#results.drain();
    await releaseLeases(this.#parts.storage, [...this.#leased.values()]);
    await this.#parts.agent.destroy();
  }

  /** One at a time: what is asked for meanwhile makes the next one larger. */
  #pass(): void {
    if (this.#state !== 'running' || this.#paused) return;
    this.#wanted = true;
    this.#passing ??= this.#passes().finally(() => {
      this.#passing = null;
      if (this.#wanted) this.#pass();
    });
  }

  async #passes(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#wanted && this.#state === 'running') {
      this.#wanted = false;
      // Whoever writes them asks for the next pass.
      if (this.#results.size > UNWRITTEN_MAX) return;
      try {
        if (await this.#claimAndSend()) await sleep(this.#parts.pace.gatherMs);
      } catch (error) {
        this.#parts.onError(error, 'deliveries could not be claimed');
        return this.#pause();
      }
    }
    const waitMs = this.#lanes.nextDueAt() - this.#parts.clock();
    if (waitMs === Infinity || this.#state !== 'running') return;
    // Due already: then it is the pace that makes it wait.
    const ms = waitMs <= 0 ? this.#parts.pace.gatherMs : Math.min(waitMs, TIMER_MS_MAX);
    this.#timer = setTimeout(() => this.#pass(), ms).unref();
  }

  #pause(): void {
    this.#paused = true;
    this.#wanted = false;
    this.#timer = setTimeout(() => {
      this.#paused = false;
      this.#pass();
    }, PAUSE_AFTER_FAILURE_MS).unref();
  }

  /** Whether there was anything. */
  async #claimAndSend(): Promise<boolean> {
    const { storage, clock } = this.#parts;
    const now = clock();
    const asks = this.#lanes.ask(now, this.#parts.pace.allowance());
    if (asks.length === 0) return false;
    const lease = { now, token: randomToken() };
    let claimed: Claimed[];
    try {
      claimed = await storage.transaction((tx) => claimDue(tx, asks, lease));
    } catch (error) {
      for (const { webhookId, places } of asks) this.#lanes.asked(webhookId, places, now);
      throw error;
    }
    this.#parts.pace.began(claimed.length);
    try {
      const [batch] = await Promise.all([
        loadBatch(storage, claimed),
        this.#giveBackPlaces(asks, claimed, now),
      ]);
      const unsent = [...batch.hold, ...batch.cancel];
      if (unsent.length > 0) await settleUnsent(storage, batch, clock());
      // Looked at once more: what was to be held may have been released in between.
      for (const { webhookId } of unsent) this.#lanes.asked(webhookId, 1, now + LOOK_AGAIN_MS);
      if (this.#state === 'running') for (const job of batch.send) this.#begin(job);
      else
        await releaseLeases(
          storage,
          batch.send.map(({ delivery }) => delivery),
        );
    } catch (error) {
      for (const { webhookId } of claimed) this.#lanes.asked(webhookId, 1, now + LEASE_MS);
      throw error;
    }
    return claimed.length > 0;
  }

  /** A lane that got all it asked for has more, perhaps; for the others the database knows when. */
  async #giveBackPlaces(
    asks: readonly Ask[],
    claimed: readonly Claimed[],
    now: number,
  ): Promise<void> {
    const got = Map.groupBy(claimed, ({ webhookId }) => webhookId);
    const unused = ({ webhookId, places }: Ask) => places - (got.get(webhookId)?.length ?? 0);
    const short = asks.filter((ask) => unused(ask) > 0).map(({ webhookId }) => webhookId);
    const times = await nextDueTimes(this.#parts.storage, short).catch(() => null);
    for (const ask of asks) {
      const { webhookId } = ask;
      const isShort = unused(ask) > 0;
      const dueAt = isShort ? (times?.get(webhookId) ?? Infinity) : now;
      this.#lanes.asked(webhookId, unused(ask), times === null && isShort ? now : dueAt);
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
    this.#lanes.finished(delivery.webhookId, attempt.outcome === 'delivered');
    if (this.#state === 'stopped') return;
    this.attempts[attempt.outcome]++;
    const retryAt = retryTime(delivery, attempt, this.#parts.clock(), this.#parts.random());
    const carriesSecret = event.sealed_data !== null;
    this.#results.add({ delivery, carriesSecret, startedAt, attempt, retryAt });
    this.#pass();
  }

  /** Nothing that is wrong with one delivery may stop the others, or be tried for ever. */
  async #attempt(job: Job, now: number): Promise<AttemptResult> {
    const { agent, secrets, userAgent, onError } = this.#parts;
    try {
      const request = requestFor(job, secrets, userAgent, now);
      return await sendOnce({
        ...request,
        agent,
        deadlineMs: this.#parts.deadlineMs ?? DEADLINE_MS,
        now,
      });
    } catch (error) {
      onError(error, 'a delivery could not be prepared');
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
      if (retryAt !== null) this.#lanes.wake(delivery.webhookId, retryAt);
    }
    for (const each of disabled) onDisabled(each);
    this.#pass();
  }

  async #refresh(): Promise<void> {
    const startedAt = performance.now();
    try {
      const times = await allDueTimes(this.#parts.storage);
      for (const [webhookId, dueAt] of times) this.#lanes.wake(webhookId, dueAt);
    } catch (error) {
      this.#parts.onError(error, 'due deliveries could not be looked for');
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
    await extendLeases(storage, [...this.#leased.values()], clock()).catch((error) =>
      onError(error, 'leases of deliveries could not be extended'),
    );
  }
}
