import { randomToken } from '../../kernel/secrets/crypto.ts';

/** A client that missed more changes has to start over. */
const CHANGES_KEPT = 1_000;

/**
 * One change as clients receive it. A change of a project applies to all of its keys, a change of a plan or
 * customer only to the keys of that plan or customer. `customer` is a hash.
 */
export type StreamedChange =
  | { readonly keyId: string; readonly projectId: string }
  | { readonly planId: string; readonly projectId: string }
  | { readonly customer: string; readonly projectId: string }
  | { readonly projectId: string };

/**
 * The latest changes of one account, in order, so that a client that reconnects gets those it missed. Each
 * feed has a random name, and a cursor is valid only for the feed that issued it. After a restart or a lost
 * bus connection, and on another node, there is another feed. So `since` never skips a change unnoticed.
 */
export class Feed {
  readonly #name = randomToken();
  readonly #changes: StreamedChange[] = [];
  /** Position of the first change that is kept. */
  #first = 1;

  get cursor(): string {
    return this.#cursorAt(this.#first + this.#changes.length - 1);
  }

  add(change: StreamedChange): string {
    this.#changes.push(change);
    if (this.#changes.length > CHANGES_KEPT) {
      this.#changes.shift();
      this.#first++;
    }
    return this.cursor;
  }

  /** The changes after the cursor; null if some may be missing. */
  since(
    cursor: string,
  ): readonly { readonly cursor: string; readonly change: StreamedChange }[] | null {
    const [name, position] = cursor.split('.', 2);
    if (name !== this.#name || !/^\d{1,15}$/.test(position ?? '')) return null;
    const start = Number(position) + 1 - this.#first;
    if (start < 0 || start > this.#changes.length) return null;
    return this.#changes
      .slice(start)
      .map((change, n) => ({ change, cursor: this.#cursorAt(this.#first + start + n) }));
  }

  #cursorAt(position: number): string {
    return `${this.#name}.${position}`;
  }
}
