import { systemClock } from '../../kernel/time/clock.ts';
import type { ConnectionEvents, DatabaseServer } from '../storage.ts';
import { isServerLost } from './errors.ts';
import type { Primary } from './primary.ts';

/**
 * Whether the server can be reached, judged by the results of statements and of attempts to open a session:
 *
 *   connected ──one fails because of the connection──▶ lost ──one succeeds──▶ connected …
 *
 * A result counts only if its work began after the last change: when a server is lost, many statements
 * fail, and responses that were already on their way still arrive.
 */
export class ConnectionState implements DatabaseServer {
  readonly #primary: Pick<Primary, 'host' | 'failovers' | 'onMoved'>;
  readonly #now: () => number;
  readonly #listeners: ConnectionEvents[] = [];
  #changedAt = Number.NEGATIVE_INFINITY;
  isConnected = true;
  since = systemClock();
  reconnects = 0;

  /** `now`: monotonic milliseconds. */
  constructor(
    primary: Pick<Primary, 'host' | 'failovers' | 'onMoved'>,
    now: () => number = () => performance.now(),
  ) {
    this.#primary = primary;
    this.#now = now;
  }

  get host(): string {
    return this.#primary.host;
  }

  get failovers(): number {
    return this.#primary.failovers;
  }

  subscribe(events: ConnectionEvents): void {
    this.#listeners.push(events);
    this.#primary.onMoved((from, to) => events.onFailover(from, to));
  }

  /** `error`: undefined after a success. */
  record(beganAt: number, error: unknown): void {
    if (beganAt < this.#changedAt) return;
    if (this.isConnected && isServerLost(error)) {
      this.#change(false);
      for (const { onLost } of this.#listeners) onLost(error as Error);
    } else if (!this.isConnected && error === undefined) {
      this.#change(true);
      this.reconnects++;
      for (const { onRestored } of this.#listeners) onRestored();
    }
  }

  /** Records the result of `work`. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    const beganAt = this.#now();
    try {
      const result = await work();
      this.record(beganAt, undefined);
      return result;
    } catch (error) {
      this.record(beganAt, error);
      throw error;
    }
  }

  #change(isConnected: boolean): void {
    this.isConnected = isConnected;
    this.#changedAt = this.#now();
    this.since = systemClock();
  }
}
