import { can, mayCreate, type NewKey, type Principal } from '../../../kernel/authority.ts';
import type { Tx } from '../../../storage/index.ts';
import { type OutgoingEvent, SCOPE_OF_TOPIC } from '../../changes/index.ts';
import type { ReadPrincipal } from '../author-rights.ts';
import { authorsIn, setByOf } from '../setting-authors.ts';

type Hook = Parameters<typeof setByOf>[0];

/**
 * Decides which webhooks receive the value of a new key, and which receive events that need a scope. A
 * webhook receives the value only if each of its authors may create that key now. One instance per
 * transaction, so that each author is read once.
 */
export class ValueRights {
  readonly #read: ReadPrincipal;
  readonly #tx: Tx;
  readonly #now: number;
  readonly #authors = new Map<Hook, readonly (string | null)[]>();
  readonly #principals = new Map<string, Promise<Principal | null>>();

  constructor(read: ReadPrincipal, tx: Tx, now: number) {
    this.#read = read;
    this.#tx = tx;
    this.#now = now;
  }

  allows(hook: Hook, key: NewKey): Promise<boolean> {
    return this.#everyAuthor(hook, key.accountId, (author) => mayCreate(author, key));
  }

  /** Some topics need a separate scope, which every author must still hold. */
  async mayReceive(
    hook: Hook,
    event: Pick<OutgoingEvent, 'type' | 'accountId' | 'projectId'>,
  ): Promise<boolean> {
    const scope = SCOPE_OF_TOPIC[event.type];
    if (scope === undefined) return true;
    const isAllowed = (author: Principal) => can(author, scope, event) === 'allowed';
    return this.#everyAuthor(hook, event.accountId, isAllowed);
  }

  async #everyAuthor(
    hook: Hook,
    accountId: string,
    isAllowed: (author: Principal) => boolean,
  ): Promise<boolean> {
    for (const id of this.#authorsOf(hook)) {
      const principal = id === null ? null : await this.#principal(id, accountId);
      if (principal === null || !isAllowed(principal)) return false;
    }
    return true;
  }

  #authorsOf(hook: Hook): readonly (string | null)[] {
    const authors = this.#authors.get(hook) ?? authorsIn(setByOf(hook));
    this.#authors.set(hook, authors);
    return authors;
  }

  #principal(id: string, accountId: string): Promise<Principal | null> {
    // A person has different roles in different accounts.
    const name = `${accountId} ${id}`;
    const known = this.#principals.get(name);
    if (known !== undefined) return known;
    const read = this.#read(this.#tx, id, accountId, this.#now);
    this.#principals.set(name, read);
    return read;
  }
}
