import { randomToken } from '../../kernel/crypto.ts';

/** Changes that a feed remembers; whoever missed more begins anew. */
const REMEMBERED = 1_000;

/** One change as a client hears of it. A project change is told of all its keys. */
export type Told =
  | { readonly keyId: string; readonly projectId: string }
  | { readonly keyId: null; readonly projectId: string };

/**
 * What one account was told, in order, so that a client that was cut off can be told what it
 * missed. A cursor is good for the feed that gave it: the feed's name is random, and another
 * process, a restart or a lost bus makes another feed. So `since` proves that nothing is missing,
 * or says that it cannot.
 */
export class Feed {
  readonly #name = randomToken();
  readonly #told: Told[] = [];
  /** Position of the first that is remembered. */
  #first = 1;

  get cursor(): string {
    return this.#cursorAt(this.#first + this.#told.length - 1);
  }

  add(told: Told): string {
    this.#told.push(told);
    if (this.#told.length > REMEMBERED) {
      this.#told.shift();
      this.#first++;
    }
    return this.cursor;
  }

  /** What came after the cursor; null when something may be missing. */
  since(cursor: string): readonly { readonly cursor: string; readonly told: Told }[] | null {
    const [name, position] = cursor.split('.', 2);
    if (name !== this.#name || !/^\d{1,15}$/.test(position ?? '')) return null;
    const missing = Number(position) + 1 - this.#first;
    if (missing < 0 || missing > this.#told.length) return null;
    return this.#told
      .slice(missing)
      .map((told, n) => ({ told, cursor: this.#cursorAt(this.#first + missing + n) }));
  }

  #cursorAt(position: number): string {
    return `${this.#name}.${position}`;
  }
}
