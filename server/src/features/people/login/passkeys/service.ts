import type { Actor } from '../../../../kernel/actor.ts';
import { KeywardError } from '../../../../kernel/errors.ts';
import type { RawResponse } from '../../../../kernel/route.ts';
import { isoTimeOrNull } from '../../../../kernel/time/clock.ts';
import type { Storage } from '../../../../storage/index.ts';
import { personOf } from '../../person.ts';
import type { Auth } from '../better-auth/auth.ts';
import { type AuthCalls, type LoginCall, withCookies } from '../better-auth/calls.ts';
import type { Passkey } from '../schema.ts';
import type { SecurityLog } from '../security-log.ts';
import type { Confirmation } from '../sessions/confirmation.ts';

type Registration = NonNullable<
  Parameters<Auth['api']['verifyPasskeyRegistration']>[0]
>['body']['response'];

const SHOWN_MAX = 100;

interface Parts {
  readonly storage: Storage;
  readonly calls: AuthCalls;
  readonly log: SecurityLog;
  readonly confirmation: Confirmation;
}

/** A person's own passkeys. */
export class PasskeyService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(userId: string): Promise<Passkey[]> {
    const rows = await this.#parts.storage.point
      .selectFrom('passkeys')
      .select(['id', 'name', 'created_at'])
      .where('user_id', '=', userId)
      .orderBy('id')
      .limit(SHOWN_MAX)
      .execute();
    return rows.map(({ id, name, created_at }) => ({
      id,
      name,
      createdAt: isoTimeOrNull(created_at),
    }));
  }

  async options(call: LoginCall): Promise<RawResponse> {
    await this.#parts.confirmation.requireRecent(personOf(call.actor));
    const { response, cookies } = await this.#parts.calls.run(call, (auth, headers) =>
      auth.api.generatePasskeyRegistrationOptions({ headers, returnHeaders: true }),
    );
    return withCookies(response, cookies);
  }

  async add(call: LoginCall, name: string, response: Registration): Promise<RawResponse> {
    await this.#parts.confirmation.requireRecent(personOf(call.actor));
    const { response: made, cookies } = await this.#parts.calls.run(
      call,
      (auth, headers) =>
        auth.api.verifyPasskeyRegistration({
          body: { name, response },
          headers,
          returnHeaders: true,
        }),
      'passkey_failed',
    );
    await this.#parts.log.record(call.actor, call.actor.principal.id, 'user.passkey-added', {
      passkeyId: made.id,
      name,
    });
    const [found] = (await this.list(call.actor.principal.id)).filter(({ id }) => id === made.id);
    return withCookies(found, cookies);
  }

  async rename(actor: Actor, id: string, name: string): Promise<Passkey> {
    const userId = actor.principal.id;
    const about = { passkeyId: id, name };
    return this.#parts.log.change(actor, userId, 'user.passkey-renamed', about, async ({ tx }) => {
      const row = await tx
        .updateTable('passkeys')
        .set({ name })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .returning('created_at')
        .executeTakeFirst();
      if (!row) throw new KeywardError('passkey_not_found');
      return { id, name, createdAt: isoTimeOrNull(row.created_at) };
    });
  }

  async remove(actor: Actor, id: string): Promise<void> {
    await this.#parts.confirmation.requireRecent(personOf(actor));
    const userId = actor.principal.id;
    const about = { passkeyId: id };
    await this.#parts.log.change(actor, userId, 'user.passkey-removed', about, async ({ tx }) => {
      const { numDeletedRows } = await tx
        .deleteFrom('passkeys')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new KeywardError('passkey_not_found');
    });
  }
}
