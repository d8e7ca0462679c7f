import { setImmediate as nextTurn } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type QueryExecutorProvider, sql } from 'kysely';
import { systemClock } from '../../kernel/time/clock.ts';
import type { Change, ChangeBus, ChangeListener } from './change-bus.ts';
import { CHANGES_CHANNEL, decodeChanges, encodeChanges } from './messages.ts';
import { type ClockState, clockStateOf, measureOffset } from './node-clock.ts';
import type { BusSession, PrimaryConnector } from './postgres-session.ts';

const HEARTBEAT_EVERY_MS = 250;
const SILENCE_MS = 1_000;
const COUNT_NODES_EVERY_MS = 1_000;
const CHECK_CLOCK_EVERY_MS = 60_000;
/** Longer than the server needs to end the session of a machine that vanished. */
const ALONE_TIMEOUT_MS = 6_000;
const ALONE_RETRY_MS = 250;
/** Longer than the timeout for reconnecting: a node that cannot connect at the start exits. */
const START_TIMEOUT_MS = 10_000;
const RECONNECT_TIMEOUT_MS = 1_500;
const RECONNECT_MS_MIN = 50;
const RECONNECT_MS_MAX = 500;

export interface PostgresChangeBusParts {
  /** Connects directly to the server: a transaction pooler cannot listen. */
  readonly primary: PrimaryConnector;
  readonly nodeId: string;
  /** The newest schema that this node knows. Default: 0. */
  readonly schemaVersion?: number;
  /** How long cached entries may be served without contact to the bus. */
  readonly staleMs: number;
  /** A node that does not receive its own heartbeat for this long has lost its bus. Default: 1 s. */
  readonly silenceMs?: number;
  readonly onLost: (error: Error) => void;
  readonly onRestored: () => void;
  /** Called when the clock of this node is found to be wrong, or right again. */
  readonly onClock?: (state: ClockState, offsetMs: number) => void;
  /** Replaced by tests. */
  readonly wallClock?: () => number;
  /** Monotonic milliseconds; replaced by tests. */
  readonly now?: () => number;
}

/**
 * Sends changes to all nodes with LISTEN and NOTIFY: see docs/decisions/0017-change-bus.md.
 *
 *   disconnected ──listening; cache cleared──▶ connected
 *   connected ──connection ended, or silent for 1 s──▶ disconnected ──▶ …  ──stop──▶ stopped
 *
 * A node sends itself a heartbeat through the database every 250 ms. PostgreSQL delivers in the order of
 * commits. So a node that receives its own heartbeat has received every change that committed before it sent
 * that heartbeat.
 */
export class PostgresChangeBus implements ChangeBus {
  readonly #parts: PostgresChangeBusParts;
  readonly #now: () => number;
  readonly #silenceMs: number;
  readonly #listeners: ChangeListener[] = [];
  #session: BusSession | null = null;
  #isStopped = false;
  #isSending = false;
  #reconnectMs = RECONNECT_MS_MIN;
  #heartbeats: NodeJS.Timeout | undefined;
  #reconnecting: NodeJS.Timeout | undefined;
  #countedAt = Number.NEGATIVE_INFINITY;
  #clockCheckedAt = Number.NEGATIVE_INFINITY;
  /** Every change that committed before this time has been received. */
  #receivedUpTo = Number.NEGATIVE_INFINITY;
  /** When this session last received its heartbeat. */
  #heartbeatAt = 0;
  /** Live nodes, this one included, as last counted. */
  nodes = 1;
  /** The newest schema that all other nodes know. 0: not counted yet, or there is a node of an earlier version. */
  knownSchema = 0;
  /** How far the clock of this node is ahead of PostgreSQL's, as last measured; null: not measured yet. */
  clockOffsetMs: number | null = null;
  clockState: ClockState = 'right';
  disconnects = 0;
  /** Changes received, own changes included. */
  received = 0;
  /** How often the whole cache was cleared. */
  clears = 0;

  constructor(parts: PostgresChangeBusParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
    this.#silenceMs = parts.silenceMs ?? SILENCE_MS;
    parts.primary.onMoved(() => this.#session?.end(new Error('PostgreSQL failed over.')));
  }

  /** Resolves when this node receives changes. `alone`: rejects if another node is running. */
  async start(options: { alone: boolean; timeoutMs?: number }): Promise<void> {
    const session = await this.#listen(START_TIMEOUT_MS);
    if (!options.alone) await session.register();
    else if (!(await registersAlone(session, options.timeoutMs ?? ALONE_TIMEOUT_MS))) {
      this.stop();
      throw new AnotherNodeError();
    }
    await this.#countNodes(session);
    await this.#checkClock(session);
    this.#heartbeatAt = this.#now();
    this.#heartbeats = setInterval(() => this.#tick(), HEARTBEAT_EVERY_MS).unref();
    this.#heartbeat();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#heartbeats);
    clearTimeout(this.#reconnecting);
    this.#session?.end(new Error('This node is stopping.'));
  }

  async announce(tx: QueryExecutorProvider, changes: readonly Change[]): Promise<void> {
    for (const message of encodeChanges(changes))
      await sql`select pg_notify(${CHANGES_CHANNEL}, ${message})`.execute(tx);
  }

  publish(changes: readonly Change[]): void {
    for (const listener of this.#listeners) listener(changes);
  }

  subscribe(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  get isConnected(): boolean {
    return this.#session !== null;
  }

  get behindMs(): number {
    return this.#now() - this.#receivedUpTo;
  }

  isUpToDate(now = this.#now()): boolean {
    return now - this.#receivedUpTo <= this.#parts.staleMs;
  }

  async #openSession(timeoutMs: number): Promise<{ session: BusSession; listenedAt: number }> {
    // Loaded on demand: an embedded node does not need it.
    const { BusSession } = await import('./postgres-session.ts');
    const { primary, nodeId, schemaVersion = 0 } = this.#parts;
    let listenedAt = 0;
    const session = await primary.connect(async (config) => {
      listenedAt = this.#now();
      const session: BusSession = new BusSession({
        config,
        nodeId,
        schemaVersion,
        onMessage: (message) => this.#receive(message),
        onBeat: (payload) => {
          this.#receivedUpTo = Math.max(this.#receivedUpTo, Number(payload));
          this.#heartbeatAt = this.#now();
        },
        onEnd: (error) => this.#onEnded(session, error),
      });
      await session.open(timeoutMs);
      return session;
    });
    return { session, listenedAt };
  }

  /** Listens first, then clears the caches: earlier changes are read again, later ones are received. */
  async #listen(timeoutMs: number): Promise<BusSession> {
    const { session, listenedAt } = await this.#openSession(timeoutMs);
    if (session.isEnded) throw new Error('The connection ended right after it was opened.');
    this.#session = session;
    this.#reconnectMs = RECONNECT_MS_MIN;
    this.#isSending = false;
    // A new session has to tell the offset again.
    this.#clockCheckedAt = Number.NEGATIVE_INFINITY;
    this.clears++;
    this.publish([{ kind: 'everything' }]);
    this.#receivedUpTo = listenedAt;
    this.#heartbeatAt = this.#now();
    return session;
  }

  /**
   * Also receives the messages that this node sent. `publish` has usually handled those changes already. But
   * if the response to a commit was lost, the message is the only sign that the change did commit.
   */
  #receive(message: string): void {
    const changes = decodeChanges(message);
    this.received += changes.length;
    if (changes.some(({ kind }) => kind === 'everything')) this.clears++;
    this.publish(changes);
  }

  #tick(): void {
    const silenceMs = this.#silenceMs;
    const isSilent = () => this.#session !== null && this.#now() - this.#heartbeatAt > silenceMs;
    // The event loop may have been blocked: read what has arrived before deciding.
    if (isSilent())
      nextTurn(() => {
        if (isSilent())
          this.#session?.end(new Error(`No heartbeat was received for ${silenceMs} ms.`));
      });
    this.#heartbeat();
  }

  #heartbeat(): void {
    const session = this.#session;
    if (session === null || this.#isSending) return;
    this.#isSending = true;
    this.#sendHeartbeat(session)
      // A broken connection is detected by its missing heartbeats.
      .catch(() => {})
      .finally(() => {
        if (this.#session === session) this.#isSending = false;
      });
  }

  async #sendHeartbeat(session: BusSession): Promise<void> {
    const now = this.#now();
    await session.beat(String(now));
    if (now - this.#clockCheckedAt >= CHECK_CLOCK_EVERY_MS) await this.#checkClock(session);
    if (now - this.#countedAt < COUNT_NODES_EVERY_MS) return;
    this.#countedAt = now;
    await this.#countNodes(session);
  }

  async #countNodes(session: BusSession): Promise<void> {
    const { count, schema } = await session.others();
    this.nodes = 1 + count;
    this.knownSchema = schema;
  }

  async #checkClock(session: BusSession): Promise<void> {
    this.#clockCheckedAt = this.#now();
    const wallClock = this.#parts.wallClock ?? systemClock;
    const offsetMs = await measureOffset(() => session.serverTime(), wallClock, this.#now);
    const state = clockStateOf(offsetMs, await session.exchangeClocks(offsetMs));
    this.clockOffsetMs = offsetMs;
    if (state === this.clockState) return;
    this.clockState = state;
    this.#parts.onClock?.(state, offsetMs);
  }

  #onEnded(session: BusSession, error: Error): void {
    if (this.#session === session) {
      this.#session = null;
      if (this.#isStopped) return;
      this.disconnects++;
      this.#parts.onLost(error);
      this.#reconnect();
    }
  }

  #onReconnected(session: BusSession): void {
    if (this.#isStopped) {
      session.end(new Error('This node is stopping.'));
      return;
    }
    this.#parts.onRestored();
    session.register().catch((error) => session.end(error));
  }

  #reconnect(): void {
    this.#reconnecting = setTimeout(() => {
      this.#listen(RECONNECT_TIMEOUT_MS).then(
        (session) => this.#onReconnected(session),
        () => this.#isStopped || this.#reconnect(),
      );
    }, this.#reconnectMs).unref();
    this.#reconnectMs = Math.min(this.#reconnectMs * 2, RECONNECT_MS_MAX);
  }
}

/** Retries: this node may replace a machine that vanished, and the session of that machine ends late. */
async function registersAlone(session: BusSession, timeoutMs: number): Promise<boolean> {
  for (const until = performance.now() + timeoutMs; ; await sleep(ALONE_RETRY_MS)) {
    if (await session.registerAlone()) return true;
    if (performance.now() >= until) return false;
  }
}

/** Rate limits are counted in memory, but another node is running. */
export class AnotherNodeError extends Error {}
