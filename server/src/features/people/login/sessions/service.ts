import type { Actor } from '../../../../kernel/actor.ts';
import type { UserPrincipal } from '../../../../kernel/authority.ts';
import { KeywardError } from '../../../../kernel/errors.ts';
import { type Clock, isoTime } from '../../../../kernel/time/clock.ts';
import type { Storage } from '../../../../storage/index.ts';
import type { CookieHeaders } from '../cookies.ts';
import type { Session } from '../schema.ts';
import type { SecurityLog } from '../security-log.ts';
import { forgetOtherBrowsers } from '../sign-in/known-browsers.ts';

const SHOWN_MAX = 200;

interface Parts {
  readonly storage: Storage;
  readonly log: SecurityLog;
  readonly clock: Clock;
}

/** A person's own sessions. */
export class SessionService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(principal: UserPrincipal): Promise<Session[]> {
    const rows = await this.#parts.storage.point
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', principal.id)
      .where('expires_at', '>', this.#parts.clock())
      .orderBy('id', 'desc')
      .limit(SHOWN_MAX)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      isCurrent: row.id === principal.sessionId,
      clientAddress: row.ip_address || null,
      userAgent: row.user_agent || null,
      createdAt: isoTime(row.created_at),
      updatedAt: isoTime(row.updated_at),
      expiresAt: isoTime(row.expires_at),
    }));
  }

  async end(actor: Actor, id: string): Promise<void> {
    const userId = actor.principal.id;
    const about = { sessionId: id };
    await this.#parts.log.change(actor, userId, 'user.session-ended', about, async ({ tx }) => {
      const { numDeletedRows } = await tx
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new KeywardError('session_not_found');
    });
  }

  /** Also forgets the other known browsers. */
  async endOthers(actor: Actor, principal: UserPrincipal, headers: CookieHeaders): Promise<void> {
    const { id, sessionId } = principal;
    await this.#parts.log.change(actor, id, 'user.other-sessions-ended', {}, async ({ tx }) => {
      await tx
        .deleteFrom('sessions')
        .where('user_id', '=', id)
        .where('id', '!=', sessionId)
        .execute();
      await forgetOtherBrowsers(tx, headers, id);
    });
  }
}
