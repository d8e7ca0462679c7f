import { setImmediate as nextTurn } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type QueryExecutorProvider, sql } from 'kysely';
import type { ClientConfig } from 'pg';
import { CHANGES_CHANNEL, decodeChanges, encodeChanges } from './bus-messages.ts';
import type { Change, ChangeBus, ChangeListener } from './change-bus.ts';
import type { BusSession } from './postgres-bus-session.ts';

const BEAT_EVERY_MS = 250;
/** A node that does not hear itself for this long has lost its bus. */
const SILENCE_MS = 1_000;
const COUNT_NODES_EVERY_MS = 1_000;
/** More than it takes the server to let go of a session whose machine has vanished. */
const PATIENCE_MS = 6_000;
const LOOK_AGAIN_MS = 250;
const RECONNECT_MS_MIN = 50;
const RECONNECT_MS_MAX = 500;

export interface PostgresChangeBusParts {
  /** Straight to the server: a transaction pooler cannot listen. */
  readonly config: ClientConfig;
  readonly nodeId: string;
  /** How long what is remembered may be served without hearing of changes. */
  readonly staleMs: number;
  readonly onLost: (error: Error) => void;
  readonly onBack: () => void;
  /** For tests; milliseconds that never run backwards. */
  readonly now?: () => number;
}

/**
 * Changes of all nodes, by LISTEN and NOTIFY: see docs/decisions/0017-change-bus.md.
 *
 *   lost ──connected and listening; everything dropped──▶ heard
 *   heard ──connection ended, or silent for 1 s──▶ lost ──▶ …  ──stop──▶ stopped
 *
 * A node says something to itself through the database every 250 ms. PostgreSQL delivers in the
 * order of commits, so that whoever hears what it said at a time has heard of every change that
 * committed before that time.
 */
export class PostgresChangeBus implements ChangeBus {
  readonly #parts: PostgresChangeBusParts;
  readonly #now: () => number;
  readonly #listeners: ChangeListener[] = [];
  #session: BusSession | null = null;
  #isStopped = false;
  #isBeating = false;
  #waitMs = RECONNECT_MS_MIN;
  #beats: NodeJS.Timeout | undefined;
  #reconnecting: NodeJS.Timeout | undefined;
  #countedAt = Number.NEGATIVE_INFINITY;
  /** Every change that committed before this has been heard of. */
  #heardUpTo = Number.NEGATIVE_INFINITY;
  /** When this session last heard itself. */
  #heardAt = 0;
  /** Nodes that are alive, this one included, when they were counted last. */
  nodes = 1;
  /** Connections that were lost. */
  losses = 0;
  /** Changes heard of. */
  heard = 0;
  /** How often everything had to be dropped. */
  clears = 0;

  constructor(parts: PostgresChangeBusParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
  }

  /** Ends when this node hears the others. `alone`: refuses to be the second one. */
  async start(options: { alone: boolean; patienceMs?: number }): Promise<void> {
    const session = await this.#listen();
    if (!options.alone) await session.enter();
    else if (!(await entersAlone(session, options.patienceMs ?? PATIENCE_MS))) {
      this.stop();
      throw new AnotherNode();
    }
    this.nodes = 1 + (await session.others());
    this.#heardAt = this.#now();
    this.#beats = setInterval(() => this.#tick(), BEAT_EVERY_MS).unref();
    this.#beat();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#beats);
    clearTimeout(this.#reconnecting);
    this.#session?.end(new Error('This node stops.'));
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

  /** For how long a change may have been made without this node having heard of it. */
  get behindMs(): number {
    return this.#now() - this.#heardUpTo;
  }

  isInTouch(now = this.#now()): boolean {
    return now - this.#heardUpTo <= this.#parts.staleMs;
  }

  async #createSession(): Promise<BusSession> {
    // Loaded here: an embedded node need not pay for it.
    const { BusSession } = await import('./postgres-bus-session.ts');
    const { config, nodeId } = this.#parts;
    const session: BusSession = new BusSession({
      config,
      nodeId,
      onMessage: (message) => this.#hear(message),
      onBeat: (payload) => {
        this.#heardUpTo = Math.max(this.#heardUpTo, Number(payload));
        this.#heardAt = this.#now();
      },
      onEnd: (error) => this.#ended(session, error),
    });
    return session;
  }

  /** Listens first and drops then: whatever committed before is read, whatever commits after is heard. */
  async #listen(): Promise<BusSession> {
    const session = await this.#createSession();
    const listenedAt = this.#now();
    await session.open();
    if (session.isOver) throw new Error('The connection ended as soon as it was made.');
    this.#session = session;
    this.#waitMs = RECONNECT_MS_MIN;
    this.#isBeating = false;
    this.clears++;
    this.publish([{ kind: 'everything' }]);
    this.#heardUpTo = listenedAt;
    this.#heardAt = this.#now();
    return session;
  }

  /**
   * Our own messages too. Mostly it is for nothing, since `publish` came first; but when the answer
   * to a commit was lost, this is the only word of a change that was made after all.
   */
  #hear(message: string): void {
    const changes = decodeChanges(message);
    this.heard += changes.length;
    if (changes.some(({ kind }) => kind === 'everything')) this.clears++;
    this.publish(changes);
  }

  #tick(): void {
    const isSilent = () => this.#session !== null && this.#now() - this.#heardAt > SILENCE_MS;
    // We may have been held up ourselves: what lies ready is read before it is judged.
    if (isSilent())
      nextTurn(() => {
        if (isSilent()) this.#session?.end(new Error('Nothing was heard for 1 s.'));
      });
    this.#beat();
  }

  #beat(): void {
    const session = this.#session;
    if (session === null || this.#isBeating) return;
    this.#isBeating = true;
    this.#say(session)
      // What is wrong with the connection shows by its silence.
      .catch(() => {})
      .finally(() => {
        if (this.#session === session) this.#isBeating = false;
      });
  }

  async #say(session: BusSession): Promise<void> {
    const now = this.#now();
    await session.beat(String(now));
    if (now - this.#countedAt < COUNT_NODES_EVERY_MS) return;
    this.#countedAt = now;
    this.nodes = 1 + (await session.others());
  }

  #ended(session: BusSession, error: Error): void {
    if (this.#session === session) {
      this.#session = null;
      if (this.#isStopped) return;
      this.losses++;
      this.#parts.onLost(error);
      this.#reconnect();
    }
  }

  #back(session: BusSession): void {
    if (this.#isStopped) {
      session.end(new Error('This node stops.'));
      return;
    }
    this.#parts.onBack();
    session.enter().catch((error) => session.end(error));
  }

  #reconnect(): void {
    this.#reconnecting = setTimeout(() => {
      this.#listen().then(
        (session) => this.#back(session),
        () => this.#isStopped || this.#reconnect(),
      );
    }, this.#waitMs).unref();
    this.#waitMs = Math.min(this.#waitMs * 2, RECONNECT_MS_MAX);
  }
}

/** Waits for the session of a machine that vanished, perhaps the one that this node replaces. */
async function entersAlone(session: BusSession, patienceMs: number): Promise<boolean> {
  for (const until = performance.now() + patienceMs; ; await sleep(LOOK_AGAIN_MS)) {
    if (await session.enterAlone()) return true;
    if (performance.now() >= until) return false;
  }
}

/** Limits are counted here alone, and somebody else counts them too. */
export class AnotherNode extends Error {}
