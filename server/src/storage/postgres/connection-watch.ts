import { setTimeout } from 'node:timers/promises';
import { ConnectionLost } from './errors.ts';
import type { Session, Watch } from './session.ts';
import { withTimeout } from './with-timeout.ts';

/** A statement that is silent for so long is asked after. */
const SILENT_MS = 1_000;
const LOOK_EVERY_MS = 200;
/** An answer that left the server before it was asked after arrives in this time. */
const ON_ITS_WAY_MS = 100;

export interface ConnectionWatchParts {
  /** A connection of its own to ask over. */
  open(): Promise<Session>;
  readonly isPooled: boolean;
  readonly probeMs: number;
  readonly onDead: (reason: Error) => void;
}

/**
 * Tells a slow statement from a link that no longer carries anything. A host that vanished, or a
 * middlebox that forgot a connection, sends no word; Node cannot set TCP_USER_TIMEOUT, and the
 * kernel tries for a quarter of an hour. So a silent statement is asked after over a connection of
 * its own: no answer, or a server process that is not at work for us, ends the session.
 */
export class ConnectionWatch implements Watch {
  readonly #waiting = new Set<Session>();
  readonly #parts: ConnectionWatchParts;
  #timer: NodeJS.Timeout | undefined;
  #probing = false;

  constructor(parts: ConnectionWatchParts) {
    this.#parts = parts;
  }

  waits(session: Session): void {
    this.#waiting.add(session);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  answered(session: Session): void {
    this.#waiting.delete(session);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    if (this.#probing) return;
    const since = performance.now();
    const silent = [...this.#waiting].filter((session) => session.waitedMs(since) > SILENT_MS);
    if (silent.length === 0) return;
    // What is answered meanwhile, or waits for its next statement, is none of our business.
    const isStillSilent = (session: Session) => {
      const now = performance.now();
      return session.waitedMs(now) > now - since + SILENT_MS;
    };
    this.#probing = true;
    try {
      const atWork = await this.#probe(silent);
      if (atWork === 'unknown') return;
      await setTimeout(ON_ITS_WAY_MS);
      for (const session of silent.filter(isStillSilent))
        if (!atWork.has(session.processId ?? 0))
          session.end(new ConnectionLost('The link to PostgreSQL lost an answer.'));
    } catch (error) {
      const reason = new ConnectionLost('PostgreSQL does not answer.', { cause: error });
      // Also what was asked later, if before the probe: it has been without an answer for as long.
      const now = performance.now();
      for (const session of [...this.#waiting])
        if (session.waitedMs(now) >= now - since) session.end(reason);
      this.#parts.onDead(reason);
    } finally {
      this.#probing = false;
    }
  }

  /** The processes that work for these sessions. Behind a pooler nobody can say which they are. */
  async #probe(sessions: readonly Session[]): Promise<ReadonlySet<number> | 'unknown'> {
    const { probeMs } = this.#parts;
    const late = () => new ConnectionLost(`Nothing was heard for ${probeMs} ms.`);
    try {
      return await withTimeout(this.#ask(sessions), probeMs, late);
    } catch (error) {
      if (error instanceof ConnectionLost) throw error;
      // A server that refuses us (too many connections, say) is there.
      return 'unknown';
    }
  }

  async #ask(sessions: readonly Session[]): Promise<ReadonlySet<number> | 'unknown'> {
    const { open, isPooled } = this.#parts;
    const asking = await open();
    try {
      const ids = isPooled ? [] : sessions.map(({ processId }) => processId ?? 0);
      const { rows } = await asking.query(
        `select pid from pg_stat_activity where state = 'active' and pid in (${[0, ...ids].join()})`,
      );
      return isPooled ? 'unknown' : new Set(rows.map(({ pid }) => pid as number));
    } finally {
      asking.end(new ConnectionLost('It has been asked.'));
    }
  }
}
