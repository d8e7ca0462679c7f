import type { Actor } from '../../kernel/actor.ts';
import type { RawResponse } from '../../kernel/route.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { AuditEntry, ChangeRunner, Idempotency, Unit } from '../changes/index.ts';
import { type CreditsChange, changeCredits, emitChanged } from './changes.ts';
import type { CreditsColumns } from './columns.ts';
import type { CreditPool } from './held-block.ts';
import type { CreditLedger, PoolAccess } from './ledger.ts';
import { poolOfPlan } from './plan-credits.ts';
import type { PoolOwner } from './pool-owner.ts';
import { creditsOf, creditsRecord, creditsWithGrants } from './record.ts';
import type { ChangeCredits, ChangedCredits, Credits, CreditsWithGrants } from './schema.ts';
import type { CreditStatement, StatementQuery } from './statement.ts';

/** The key or customer whose credits are changed. */
interface Target extends Pick<AuditEntry, 'targetType' | 'targetId'> {
  readonly owner: PoolOwner;
  /** Throws if the key or customer was deleted since it was found. */
  readAgain(unit: Unit): Promise<unknown>;
  /** Invalidates the cached keys that get or lose credits. */
  invalidate(unit: Unit, change: CreditsChange): Promise<void>;
}

interface Parts {
  readonly changes: ChangeRunner;
  readonly ledger: CreditLedger;
  readonly clock: Clock;
}

/** Reads and changes the credits of keys and customers. */
export class CreditService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** See `CreditLedger.change`. */
  change<T>(owner: PoolOwner, work: (access: PoolAccess) => Promise<T>): Promise<T> {
    return this.#parts.ledger.change(owner, work);
  }

  /**
   * The credits of a pool, less what this node has granted and not yet stored. A pool that its plan has not
   * opened yet is shown as the plan would open it.
   */
  async read(pool: CreditPool): Promise<Credits | null> {
    const { ledger, clock } = this.#parts;
    const now = clock();
    const { stored, unstored } = await ledger.read(pool, now);
    const shown = stored ?? (pool.plan && poolOfPlan(pool.plan, ledger.context(now)));
    return shown && creditsRecord(shown, now, unstored);
  }

  /** The credits of an owner, with the grants; null if there are none. */
  async withGrants(pool: CreditPool): Promise<CreditsWithGrants | null> {
    const { ledger, clock } = this.#parts;
    const now = clock();
    const { stored, unstored } = await ledger.read(pool, now);
    const shown = stored ?? (pool.plan && poolOfPlan(pool.plan, ledger.context(now)));
    return shown && creditsWithGrants(shown, now, unstored);
  }

  statement(owner: PoolOwner, query: StatementQuery): Promise<CreditStatement | RawResponse> {
    const { ledger, clock } = this.#parts;
    return ledger.statement(owner, query, clock());
  }

  /**
   * The credits of a row in a list. Makes no query, so it is less exact: a refill that is due has the
   * settings of the last refill, even if the plan has changed, and use that is being stored may be subtracted
   * twice.
   */
  inList(owner: PoolOwner, row: CreditsColumns): Credits | null {
    if (row.credits_balance === null) return null;
    const { ledger, clock } = this.#parts;
    return creditsOf(row, clock(), ledger.unstored(owner));
  }

  /** The credits of a row that was read in a transaction, as they are now. */
  async current(
    { tx, now }: Pick<Unit, 'tx' | 'now'>,
    owner: PoolOwner,
    row: CreditsColumns,
  ): Promise<Credits | null> {
    if (row.credits_balance === null) return null;
    const pool = await this.#parts.ledger.readIn(tx, owner, now);
    return pool && creditsRecord(pool, now);
  }

  /** Adds or sets credits. Creates the credits if there are none. */
  addOrSet(
    actor: Actor,
    { owner, targetType, targetId, readAgain, invalidate }: Target,
    change: ChangeCredits,
    idempotency?: Idempotency,
  ): Promise<ChangedCredits> {
    const { accountId, projectId } = owner;
    const make = async (unit: Unit, access: PoolAccess) => {
      await readAgain(unit);
      const changed = await changeCredits(unit, access, owner, change);
      const { before, after, taken } = changed;
      await invalidate(unit, changed);
      unit.audit({
        action: 'credits.changed',
        accountId,
        projectId,
        targetType,
        targetId,
        before: before && { credits: before },
        after: { credits: after },
      });
      emitChanged(unit, owner, targetType === 'api-key' ? targetId : null, changed);
      return { ...after, ...(taken !== null && { taken }) };
    };
    return this.change(owner, (access) =>
      this.#parts.changes.run(actor, (unit) => make(unit, access), idempotency),
    );
  }
}
