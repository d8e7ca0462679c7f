import { KeywardError } from '../../../kernel/errors.ts';
import type { RawResponse } from '../../../kernel/route.ts';
import { sha256 } from '../../../kernel/secrets/crypto.ts';
import { type Clock, isoTime } from '../../../kernel/time/clock.ts';
import type { Storage } from '../../../storage/index.ts';
import type { ChangeRunner } from '../../changes/index.ts';
import type { Joining } from '../joining.ts';
import type { LoginCall } from '../login/better-auth/calls.ts';
import type { SetupForm, SetupInfo } from '../login/schema.ts';
import type { SignInLimits } from '../login/sign-in/limits.ts';
import { raiseToOwner } from '../memberships/service.ts';

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly joining: Joining;
  readonly limits: SignInLimits;
  readonly clock: Clock;
}

/** One-time links that make a person an owner of an account. */
export class SetupService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async info(call: LoginCall, token: string): Promise<SetupInfo> {
    await this.#parts.limits.countUnguessable('link', call.actor.clientAddress);
    const { account_name, expires_at } = await this.#find(token);
    return { accountName: account_name, expiresAt: isoTime(expires_at) };
  }

  async use(call: LoginCall, input: SetupForm): Promise<RawResponse | object> {
    await this.#parts.limits.countUnguessable('link', call.actor.clientAddress);
    const { account_id: accountId } = await this.#find(input.token);
    const now = this.#parts.clock();
    return this.#parts.joining.run(call, input, false, now, (actor, join) =>
      this.#parts.changes.run(actor, async (unit) => {
        // If two people use the link at the same time, only one of them finds it unused.
        const { numUpdatedRows } = await unit.tx
          .updateTable('setup_links')
          .set({ used_at: unit.now })
          .where('token_hash', '=', sha256(input.token))
          .where('used_at', 'is', null)
          .where('expires_at', '>', unit.now)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw new KeywardError('link_invalid');
        if (await raiseToOwner(unit, accountId, actor.principal.id)) return;
        await join(unit, { accountId, role: 'owner', projectIds: null });
      }),
    );
  }

  async #find(token: string) {
    const link = await this.#parts.storage.point
      .selectFrom('setup_links')
      .innerJoin('accounts', 'accounts.id', 'setup_links.account_id')
      .select(['setup_links.account_id', 'setup_links.expires_at', 'accounts.name as account_name'])
      .where('setup_links.token_hash', '=', sha256(token))
      .where('setup_links.used_at', 'is', null)
      .where('setup_links.expires_at', '>', this.#parts.clock())
      .executeTakeFirst();
    if (!link) throw new KeywardError('link_invalid');
    return link;
  }
}

/** The page of the dashboard for a setup link. Browsers do not send the fragment to the server. */
export const setupLink = (publicUrl: string, token: string): string =>
  `${publicUrl.replace(/\/+$/, '')}/dashboard/setup#token=${token}`;
