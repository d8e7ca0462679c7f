import type { Actor } from '../../../kernel/actor.ts';
import type { UserPrincipal } from '../../../kernel/authority.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { isoTime } from '../../../kernel/time/clock.ts';
import type { Storage } from '../../../storage/index.ts';
import type { Me } from '../login/schema.ts';
import type { SecurityLog } from '../login/security-log.ts';
import { membershipsOf, projectsIn } from '../memberships/store.ts';

interface Parts {
  readonly storage: Storage;
  readonly log: SecurityLog;
}

/** The profile of a signed-in person. */
export class ProfileService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async get(principal: UserPrincipal): Promise<Me> {
    const { point } = this.#parts.storage;
    const user = await point
      .selectFrom('users')
      .selectAll()
      .where('id', '=', principal.id)
      .executeTakeFirst();
    if (!user) throw new KeywardError('session_invalid');
    const accounts = await membershipsOf(point, user.id);
    return {
      id: user.id,
      name: user.name,
      email: user.email,
      emailVerified: user.email_verified === 1,
      twoFactorEnabled: user.two_factor_enabled === 1,
      hasPassword: true,
      createdAt: isoTime(user.created_at),
      sessionId: principal.sessionId,
      accounts: accounts.map((row) => ({
        accountId: row.account_id,
        accountName: row.account_name,
        role: row.role,
        projectIds: projectsIn(row),
      })),
    };
  }

  async rename(actor: Actor, principal: UserPrincipal, name: string): Promise<Me> {
    const about = { name: name.trim() };
    await this.#parts.log.change(actor, principal.id, 'user.renamed', about, ({ tx, now }) =>
      tx
        .updateTable('users')
        .set({ ...about, updated_at: now })
        .where('id', '=', principal.id)
        .execute(),
    );
    return this.get(principal);
  }
}
