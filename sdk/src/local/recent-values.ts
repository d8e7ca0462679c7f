import type { Entry } from './entry.ts';

/** How long a value stays in clear after its request, at most. */
const KEPT_MS = 1_000;

/**
 * The keys of the last moment by their values in clear, a few of them: a value that comes again need
 * not be hashed, which is most of what a validation costs. Empty → filled up → all let go together,
 * a second after the first. docs/decisions/0048 says why this is acceptable.
 */
export class RecentValues {
  readonly #max: number;
  readonly #byValue = new Map<string, Entry>();
  /** The one that came last: to compare two values costs a fifth of hashing one for the map. */
  #lastValue: string | undefined;
  #lastEntry: Entry | undefined;
  #letGo: ReturnType<typeof setTimeout> | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#byValue.size;
  }

  get(value: string): Entry | undefined {
    if (value === this.#lastValue) return this.#lastEntry;
    const entry = this.#byValue.get(value);
    if (entry !== undefined) this.#cameLast(value, entry);
    return entry;
  }

  /** Not when there is no room: who needs more than there is would only pay for the exchange. */
  add(value: string, entry: Entry): void {
    if (this.#byValue.size >= this.#max) return;
    this.#byValue.set(value, entry);
    this.#cameLast(value, entry);
    this.#letGo ??= setTimeout(() => this.clear(), KEPT_MS);
  }

  clear(): void {
    clearTimeout(this.#letGo);
    this.#letGo = undefined;
    this.#byValue.clear();
    this.#cameLast(undefined, undefined);
  }

  #cameLast(value: string | undefined, entry: Entry | undefined): void {
    this.#lastValue = value;
    this.#lastEntry = entry;
  }
}
