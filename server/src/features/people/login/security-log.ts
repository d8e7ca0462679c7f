import type { Actor } from '../../../kernel/actor.ts';
import type { Storage } from '../../../storage/index.ts';
import type { ChangeRunner } from '../../changes/index.ts';
import { membershipsOf } from '../memberships/store.ts';

/** Writes sign-ins and changes of a person's login to the audit log of each of their accounts. */
export class SecurityLog {
  readonly #storage: Storage;
  readonly #changes: ChangeRunner;

  constructor(storage: Storage, changes: ChangeRunner) {
    this.#storage = storage;
    this.#changes = changes;
  }

  async record(actor: Actor, userId: string, action: string, about: object = {}): Promise<void> {
    const accounts = await membershipsOf(this.#storage.point, userId);
    await this.#changes.run(actor, async (unit) => {
      for (const { account_id: accountId } of accounts)
        unit.audit({
          action,
          accountId,
          projectId: null,
          targetType: 'user',
          targetId: userId,
          after: { id: userId, ...about },
        });
    });
  }
}
