import type { Selectable } from 'kysely';
import type { Actor } from '../../kernel/actor.ts';
import { type Principal, requireScope, type Scope } from '../../kernel/authority.ts';
import { KeywardError } from '../../kernel/errors.ts';
import type { MakeId } from '../../kernel/ids.ts';
import { listing, type PageRequest, type RowRange } from '../../kernel/paging.ts';
import type { Listing } from '../../kernel/route.ts';
import { forUpdate, type Storage } from '../../storage/index.ts';
import type { AccountsTable } from '../../storage/schema/accounts.ts';
import type { AuditEntry, ChangeRunner, Idempotency, Unit } from '../changes/index.ts';
import { changedBy, createdBy, provenance } from '../projects/index.ts';
import type { Account } from './schema.ts';

type AccountRow = Selectable<AccountsTable>;

export const accountRecord = (row: AccountRow): Account => ({
  id: row.id,
  name: row.name,
  ...provenance(row),
});

/** Makes a person the owner. Passed in, so that this feature does not depend on features/people. */
type MakeOwner = (unit: Unit, accountId: string, userId: string) => Promise<void>;

interface Parts {
  readonly storage: Storage;
  readonly changes: ChangeRunner;
  readonly ids: MakeId;
  readonly makeOwner: MakeOwner;
}

export class AccountService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Only for people and the operator: an access key belongs to one account. */
  async create(actor: Actor, name: string, idempotency?: Idempotency): Promise<Account> {
    if (actor.principal.kind === 'access-key')
      throw new KeywardError(
        'people_only',
        'Access keys cannot create accounts. Use the dashboard, or the CLI as the operator.',
      );
    return this.#parts.changes.run(
      actor,
      async (unit) => {
        const row: AccountRow = {
          id: this.#parts.ids('acc'),
          name,
          is_active: 1,
          ...createdBy(actor, unit.now),
        };
        await unit.tx.insertInto('accounts').values(row).execute();
        recordChange(unit, 'account.created', null, row);
        if (actor.principal.kind === 'user')
          await this.#parts.makeOwner(unit, row.id, actor.principal.id);
        return accountRecord(row);
      },
      idempotency,
    );
  }

  /** The operator sees all accounts, an access key its own, and a person those in which they have a role. */
  list(principal: Principal, page: PageRequest): Promise<Listing<Account>> {
    const fetch = ({ after, offset, size }: RowRange<string>) => {
      let query = this.#parts.storage.read
        .selectFrom('accounts')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(size)
        .offset(offset);
      if (principal.kind === 'access-key') query = query.where('id', '=', principal.accountId);
      if (principal.kind === 'user')
        query = query.where('id', 'in', (eb) =>
          eb.selectFrom('memberships').select('account_id').where('user_id', '=', principal.id),
        );
      if (after !== null) query = query.where('id', '<', after);
      return query.execute();
    };
    return listing(page, 'acc', fetch, accountRecord);
  }

  async get(principal: Principal, id: string): Promise<Account> {
    return accountRecord(await this.#find(principal, 'accounts:read', id));
  }

  async rename(actor: Actor, id: string, name: string): Promise<Account> {
    await this.#find(actor.principal, 'accounts:write', id);
    return this.#parts.changes.run(actor, async (unit) => {
      const account = unit.tx.selectFrom('accounts').selectAll().where('id', '=', id);
      const before = await forUpdate(unit.tx, account, 'accounts').executeTakeFirstOrThrow();
      if (before.name === name) return accountRecord(before);
      const set = { name, ...changedBy(actor, unit.now) };
      await unit.tx.updateTable('accounts').set(set).where('id', '=', id).execute();
      recordChange(unit, 'account.updated', before, { ...before, ...set });
      return accountRecord({ ...before, ...set });
    });
  }

  async #find(principal: Principal, action: Scope, id: string): Promise<AccountRow> {
    requireScope(principal, action, { accountId: id, projectId: null }, 'account_not_found');
    const row = await this.#parts.storage.point
      .selectFrom('accounts')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new KeywardError('account_not_found');
    return row;
  }
}

function recordChange(
  unit: Unit,
  action: AuditEntry['action'],
  before: AccountRow | null,
  after: AccountRow,
): void {
  unit.audit({
    action,
    accountId: after.id,
    projectId: null,
    targetType: 'account',
    targetId: after.id,
    before: before && accountRecord(before),
    after: accountRecord(after),
  });
}
