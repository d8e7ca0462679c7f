import { setTimeout } from 'node:timers/promises';
import { ConnectionLost } from './errors.ts';
import type { Session, Watch } from './session.ts';
import { withTimeout } from './with-timeout.ts';

/** A statement without a response for this long triggers a probe. */
const SILENT_MS = 1_000;
const CHECK_EVERY_MS = 200;
/** After the reply to a probe, wait this long for responses that are still in transit. */
const IN_TRANSIT_MS = 100;

export interface ConnectionWatchParts {
  /** Opens a separate connection for the probe. */
  open(): Promise<Session>;
  readonly isPooled: boolean;
  readonly probeMs: number;
  readonly onDead: (reason: Error) => void;
  readonly onResult: Watch['onResult'];
}

/**
 * Distinguishes a slow statement from a dead connection. A host that vanished, or a middlebox that
 * dropped a connection, sends no error; Node cannot set TCP_USER_TIMEOUT, and the kernel retries for
 * 15 minutes. So a statement without a response triggers a probe over a separate connection. If the
 * probe gets no response, or the server process of the session is not active, the session is ended.
 */
export class ConnectionWatch implements Watch {
  readonly #waiting = new Set<Session>();
  readonly #parts: ConnectionWatchParts;
  #timer: NodeJS.Timeout | undefined;
  #probing = false;

  constructor(parts: ConnectionWatchParts) {
    this.#parts = parts;
  }

  onWait(session: Session): void {
    this.#waiting.add(session);
    this.#timer ??= setInterval(() => void this.#check(), CHECK_EVERY_MS).unref();
  }

  onResponse(session: Session): void {
    this.#waiting.delete(session);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  onResult(sentAt: number, error: Error | undefined): void {
    this.#parts.onResult(sentAt, error);
  }

  async #check(): Promise<void> {
    if (this.#probing) return;
    const since = performance.now();
    const silent = [...this.#waiting].filter((session) => session.waitedMs(since) > SILENT_MS);
    if (silent.length === 0) return;
    // False for a session that got its response during the probe, even if it waits for the next one.
    const isStillSilent = (session: Session) => {
      const now = performance.now();
      return session.waitedMs(now) > now - since + SILENT_MS;
    };
    this.#probing = true;
    try {
      const active = await this.#probe(silent);
      if (active === 'unknown') return;
      await setTimeout(IN_TRANSIT_MS);
      for (const session of silent.filter(isStillSilent))
        if (!active.has(session.processId ?? 0))
          session.end(new ConnectionLost('The connection to PostgreSQL lost a response.'));
    } catch (error) {
      const reason = new ConnectionLost('PostgreSQL does not respond.', { cause: error });
      // Includes every statement sent before the probe: none of them got a response either.
      const now = performance.now();
      for (const session of [...this.#waiting])
        if (session.waitedMs(now) >= now - since) session.end(reason);
      this.#parts.onDead(reason);
    } finally {
      this.#probing = false;
    }
  }

  /** Returns the active server processes of these sessions. Behind a pooler they are unknown. */
  async #probe(sessions: readonly Session[]): Promise<ReadonlySet<number> | 'unknown'> {
    const { probeMs } = this.#parts;
    const late = () => new ConnectionLost(`No response for ${probeMs} ms.`);
    try {
      return await withTimeout(this.#queryActive(sessions), probeMs, late);
    } catch (error) {
      if (error instanceof ConnectionLost) throw error;
      // A server that refuses the connection, for example because it has too many, is alive.
      return 'unknown';
    }
  }

  async #queryActive(sessions: readonly Session[]): Promise<ReadonlySet<number> | 'unknown'> {
    const { open, isPooled } = this.#parts;
    const connection = await open();
    try {
      const ids = isPooled ? [] : sessions.map(({ processId }) => processId ?? 0);
      const { rows } = await connection.query(
        `select pid from pg_stat_activity where state = 'active' and pid in (${[0, ...ids].join()})`,
      );
      return isPooled ? 'unknown' : new Set(rows.map(({ pid }) => pid as number));
    } finally {
      connection.end(new ConnectionLost('The probe is finished.'));
    }
  }
}
