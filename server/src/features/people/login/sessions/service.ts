import type { Actor } from '../../../../kernel/actor.ts';
import type { UserPrincipal } from '../../../../kernel/authority.ts';
import { KeywardError } from '../../../../kernel/errors.ts';
import { type Clock, isoTime } from '../../../../kernel/time/clock.ts';
import type { Storage } from '../../../../storage/index.ts';
import type { CookieHeaders } from '../cookies.ts';
import type { Session } from '../schema.ts';
import type { SecurityLog } from '../security-log.ts';
import type { KnownBrowsers } from '../sign-in/known-browsers.ts';

const SHOWN_MAX = 200;

interface Parts {
  readonly storage: Storage;
  readonly log: SecurityLog;
  readonly clock: Clock;
  readonly browsers: KnownBrowsers;
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
    const { numDeletedRows } = await this.#parts.storage.transaction((tx) =>
      tx
        .deleteFrom('sessions')
        .where('user_id', '=', actor.principal.id)
        .where('id', '=', id)
        .executeTakeFirst(),
    );
    if (numDeletedRows === 0n) throw new KeywardError('session_not_found');
    await this.#parts.log.record(actor, actor.principal.id, 'user.session-ended', {
      sessionId: id,
    });
  }

  /** Also forgets the other known browsers. */
  async endOthers(actor: Actor, principal: UserPrincipal, headers: CookieHeaders): Promise<void> {
    await this.#parts.storage.transaction((tx) =>
      tx
        .deleteFrom('sessions')
        .where('user_id', '=', principal.id)
        .where('id', '!=', principal.sessionId)
        .execute(),
    );
    await this.#parts.browsers.forgetOthers(headers, principal.id);
    await this.#parts.log.record(actor, actor.principal.id, 'user.other-sessions-ended');
  }
}
