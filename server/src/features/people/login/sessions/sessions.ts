import type { UserPrincipal } from '../../../../kernel/authority.ts';
import { KeywardError } from '../../../../kernel/errors.ts';
import { sha256 } from '../../../../kernel/secrets/crypto.ts';
import type { Storage } from '../../../../storage/index.ts';
import {
  findMembership,
  type MembershipRow,
  membershipsOf,
  principalOf,
} from '../../memberships/store.ts';
import { sessionTokenIn } from '../cookies.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The person of a session. */
export interface SignedIn {
  readonly userId: string;
  readonly sessionId: string;
}

/**
 * Finds the principal of a session. Session and role are read with every request, so that a change takes
 * effect on every node immediately.
 */
export class Sessions {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async signedIn(headers: Headers, now: number): Promise<SignedIn | null> {
    const token = sessionTokenIn(headers);
    if (token === null) return null;
    const row = await this.#storage.point
      .selectFrom('sessions')
      .select(['id', 'user_id', 'expires_at'])
      .where('token', '=', sha256(token))
      .executeTakeFirst();
    if (row === undefined || row.expires_at <= now) return null;
    return { userId: row.user_id, sessionId: row.id };
  }

  /** For requests that concern no account. */
  personal({ userId, sessionId }: SignedIn): UserPrincipal {
    return { kind: 'user', id: userId, sessionId, ...NO_ACCOUNT };
  }

  /** The person in the given account, or in their only one. */
  async member(person: SignedIn, accountId: string | undefined): Promise<UserPrincipal> {
    const row =
      accountId === undefined
        ? await this.#only(person.userId)
        : await findMembership(this.#storage.point, accountId, person.userId);
    if (row === undefined) throw new KeywardError('account_not_found');
    return principalOf(row, person.sessionId);
  }

  async #only(userId: string): Promise<MembershipRow | undefined> {
    const rows = await membershipsOf(this.#storage.point, userId);
    if (rows.length === 0)
      throw new KeywardError('account_required', 'You belong to no account yet.');
    if (rows.length > 1) throw new KeywardError('account_required');
    return rows[0];
  }
}

const NO_ACCOUNT = { accountId: '', projectIds: [], role: null, scopes: new Set<never>() };
