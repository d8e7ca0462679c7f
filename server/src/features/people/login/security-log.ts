import type { Actor } from '../../../kernel/actor.ts';
import type { AuditEntry, ChangeRunner, Unit } from '../../changes/index.ts';
import { membershipsOf } from '../memberships/store.ts';

/** Writes sign-ins and changes of a person's login to the audit log of each of their accounts. */
export class SecurityLog {
  readonly #changes: ChangeRunner;

  constructor(changes: ChangeRunner) {
    this.#changes = changes;
  }

  /** For a change that better-auth has made in its own transaction. */
  record(
    actor: Actor,
    userId: string,
    action: AuditEntry['action'],
    about: object = {},
  ): Promise<void> {
    return this.change(actor, userId, action, about, async () => {});
  }

  /** Makes a change and records it in the same transaction. */
  change<T>(
    actor: Actor,
    userId: string,
    action: AuditEntry['action'],
    about: object,
    work: (unit: Unit) => Promise<T>,
  ): Promise<T> {
    return this.#changes.run(actor, async (unit) => {
      const result = await work(unit);
      const accounts = await membershipsOf(unit.tx, userId);
      for (const { account_id: accountId } of accounts)
        unit.audit({
          action,
          accountId,
          projectId: null,
          targetType: 'user',
          targetId: userId,
          after: { id: userId, ...about },
        });
      return result;
    });
  }
}
