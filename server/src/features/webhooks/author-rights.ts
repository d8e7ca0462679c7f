import type { Kysely } from 'kysely';
import { can, holdsScope, type Principal, ROLE_SCOPES } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/index.ts';
import type { WebhookRow } from './store.ts';

/** Reads a principal with its present rights in an account; null if it no longer exists. */
export type ReadPrincipal = (
  db: Kysely<Database>,
  id: string,
  accountId: string,
  now: number,
) => Promise<Principal | null>;

/** An admin may do everything with webhooks that an owner may. */
const COMPARED_SCOPES = ROLE_SCOPES.admin.filter((scope) => scope !== '*');

type Hook = Pick<WebhookRow, 'account_id' | 'project_id'>;

/**
 * Compares the rights of a caller, in the project or account of a webhook, with those of its authors, wherever
 * they have them: the webhook may have been moved to a project that is not theirs. `webhooks:write` alone must not
 * give access to credentials that someone with more rights left in it: its secret and the values of its headers.
 */
export class AuthorRights {
  readonly #read: ReadPrincipal;
  readonly #db: Kysely<Database>;
  readonly #now: number;

  constructor(read: ReadPrincipal, db: Kysely<Database>, now: number) {
    this.#read = read;
    this.#db = db;
    this.#now = now;
  }

  /** Whether the caller has all rights that each of the authors has. */
  async areHeldBy(
    caller: Principal,
    hook: Hook,
    authors: readonly (string | null)[],
  ): Promise<boolean> {
    return (await this.#missingScope(caller, hook, authors)) === null;
  }

  /** Throws unless `areHeldBy`. `action` is what the caller tries: `rotate its secret`. */
  async require(
    caller: Principal,
    hook: Hook,
    authors: readonly (string | null)[],
    action: string,
  ): Promise<void> {
    const scope = await this.#missingScope(caller, hook, authors);
    if (scope === null) return;
    throw new KeywardError(
      'scope_missing',
      `To ${action}, you need all rights of the author of the webhook. You lack the scope ${scope}.`,
    );
  }

  /** An author who is unknown, or no longer exists, may have had all rights. */
  async #missingScope(
    caller: Principal,
    hook: Hook,
    authors: readonly (string | null)[],
  ): Promise<string | null> {
    const resource = { accountId: hook.account_id, projectId: hook.project_id };
    for (const id of authors) {
      if (id === caller.id) continue;
      const author =
        id === null ? null : await this.#read(this.#db, id, hook.account_id, this.#now);
      for (const scope of COMPARED_SCOPES) {
        const isHeld = author === null || holdsScope(author, scope);
        if (isHeld && can(caller, scope, resource) !== 'allowed') return scope;
      }
    }
    return null;
  }
}
