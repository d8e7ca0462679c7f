import { mayCreate, type NewKey, type Principal } from '../../../kernel/authority.ts';
import type { Tx } from '../../../storage/index.ts';
import { setByOf, settersIn } from '../set-by.ts';

/** What somebody may do in an account at this moment; null: nothing, they are gone. */
export type ReadPrincipal = (
  tx: Tx,
  id: string,
  accountId: string,
  now: number,
) => Promise<Principal | null>;

type Hook = Parameters<typeof setByOf>[0];

/**
 * Who gets the value of a new key: a webhook gets it when everybody who set it up may create that
 * key now. Made for one transaction, so that everybody is looked up once.
 */
export class ValueRights {
  readonly #read: ReadPrincipal;
  readonly #tx: Tx;
  readonly #now: number;
  readonly #setters = new Map<Hook, readonly (string | null)[]>();
  readonly #principals = new Map<string, Promise<Principal | null>>();

  constructor(read: ReadPrincipal, tx: Tx, now: number) {
    this.#read = read;
    this.#tx = tx;
    this.#now = now;
  }

  async allows(hook: Hook, key: NewKey): Promise<boolean> {
    for (const id of this.#settersOf(hook)) {
      const principal = id === null ? null : await this.#principal(id, key.accountId);
      if (principal === null || !mayCreate(principal, key)) return false;
    }
    return true;
  }

  #settersOf(hook: Hook): readonly (string | null)[] {
    const setters = this.#setters.get(hook) ?? settersIn(setByOf(hook));
    this.#setters.set(hook, setters);
    return setters;
  }

  #principal(id: string, accountId: string): Promise<Principal | null> {
    const known = this.#principals.get(id);
    if (known !== undefined) return known;
    const read = this.#read(this.#tx, id, accountId, this.#now);
    this.#principals.set(id, read);
    return read;
  }
}
