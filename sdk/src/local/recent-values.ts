import type { Entry } from './entry.ts';

/** Maximum time that a value is kept in plain text. */
const KEPT_MS = 1_000;

/**
 * A small cache of keys by their value in plain text: a repeated value need not be hashed, which is about
 * half of the cost of a validation. It fills up and is cleared as a whole, one second after the first value
 * was added. docs/decisions/0048 explains why this is acceptable.
 */
export class RecentValues {
  readonly #max: number;
  readonly #byValue = new Map<string, Entry>();
  /** The most recent value: comparing two strings costs a fifth of a lookup in the map. */
  #lastValue: string | undefined;
  #lastEntry: Entry | undefined;
  #clearTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#byValue.size;
  }

  get(value: string): Entry | undefined {
    if (value === this.#lastValue) return this.#lastEntry;
    const entry = this.#byValue.get(value);
    if (entry !== undefined) this.#setLast(value, entry);
    return entry;
  }

  /** Does nothing when full: replacing values would cost more than it saves. */
  add(value: string, entry: Entry): void {
    if (this.#byValue.size >= this.#max) return;
    this.#byValue.set(value, entry);
    this.#setLast(value, entry);
    this.#clearTimer ??= setTimeout(() => this.clear(), KEPT_MS);
  }

  clear(): void {
    clearTimeout(this.#clearTimer);
    this.#clearTimer = undefined;
    this.#byValue.clear();
    this.#setLast(undefined, undefined);
  }

  #setLast(value: string | undefined, entry: Entry | undefined): void {
    this.#lastValue = value;
    this.#lastEntry = entry;
  }
}
