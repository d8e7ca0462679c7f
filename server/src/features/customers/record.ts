import { CUSTOMER } from '@keyward/rules/resources/customer.ts';
import { isoTime } from '../../kernel/time/clock.ts';
import type { AuditEntry, Unit } from '../changes/index.ts';
import type { CreditsChange, PoolOwner } from '../credits/index.ts';
import { columnsOf } from '../fields/index.ts';
import { customerGroup } from '../policies/index.ts';
import type { Customer } from './schema.ts';
import type { CustomerWithCredits } from './store.ts';

export const customerColumns = columnsOf(CUSTOMER);

export const customerRecord = (row: CustomerWithCredits): Customer => ({
  id: row.id,
  projectId: row.project_id,
  ...customerColumns.read(row),
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

export const poolOwnerOf = (
  row: Pick<CustomerWithCredits, 'account_id' | 'project_id' | 'custom_account_id'>,
): PoolOwner => ({
  accountId: row.account_id,
  projectId: row.project_id,
  ownerType: 'customer',
  owner: row.custom_account_id,
});

/** The columns that apply to the keys of a customer. */
const APPLIED = ['plan_id', 'permissions', 'limits', 'allowed_ips', 'anchor'] as const;

/** Adds the audit row of a change and, where needed, its event and the cache invalidation. */
export function recordChange(
  unit: Unit,
  action: AuditEntry['action'],
  before: CustomerWithCredits | null,
  after: CustomerWithCredits | null,
): void {
  const row = (after ?? before)!;
  const { id, account_id: accountId, project_id: projectId } = row;
  unit.audit({
    action,
    accountId,
    projectId,
    targetType: 'customer',
    targetId: id,
    before: before && customerRecord(before),
    after: after && customerRecord(after),
  });
  if (
    before === null ||
    after === null ||
    APPLIED.some((column) => before[column] !== after[column])
  ) {
    const group = customerGroup(projectId, row.custom_account_id);
    unit.affects({ kind: 'customer', group, accountId, projectId });
  }
  if (before !== null && after !== null)
    unit.emit({ type: 'customer.updated', accountId, projectId, data: customerRecord(after) });
}

/** Invalidates the cached keys of a customer if it gets or loses credits. */
export function invalidateKeys(
  unit: Unit,
  owner: PoolOwner,
  { before, after }: CreditsChange,
): void {
  if ((before === null) === (after === null)) return;
  const { accountId, projectId } = owner;
  const group = customerGroup(projectId, owner.owner);
  unit.affects({ kind: 'customer', group, accountId, projectId });
}
