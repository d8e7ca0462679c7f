import { checkMetadata } from '../../kernel/json/json.ts';
import { isoTime } from '../../kernel/time/clock.ts';
import type { Unit } from '../changes/index.ts';
import type { CreditsChange, PoolOwner } from '../credits/index.ts';
import {
  changedLevelColumns,
  customerGroup,
  levelRecord,
  listOrNull,
  tagsText,
} from '../policies/index.ts';
import type { Customer, UpdateCustomer } from './schema.ts';
import type { CustomerWithCredits } from './store.ts';

export const customerRecord = (row: CustomerWithCredits): Customer => ({
  id: row.id,
  projectId: row.project_id,
  customAccountId: row.custom_account_id,
  name: row.name,
  email: row.email,
  planId: row.plan_id,
  customMetaData: JSON.parse(row.custom_meta_data),
  tags: listOrNull(row.tags) ?? [],
  ...levelRecord(row),
  credits: row.credits,
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

/** The columns of a customer that an update can change. */
type Columns = Omit<
  CustomerWithCredits,
  'credits' | 'id' | 'account_id' | 'project_id' | 'custom_account_id' | 'created_at'
>;

export function changedColumns(input: UpdateCustomer): Partial<Columns> {
  const { name, email, planId, customMetaData, tags } = input;
  return {
    ...changedLevelColumns(input),
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(planId !== undefined && { plan_id: planId }),
    ...(customMetaData !== undefined && {
      custom_meta_data: checkMetadata(customMetaData, 'customMetaData'),
    }),
    ...(tags !== undefined && { tags: tagsText(tags) }),
  };
}

/** The columns that apply to the keys of a customer. */
const APPLIED = ['plan_id', 'permissions', 'limits', 'allowed_ips'];

export const differs = (
  a: CustomerWithCredits,
  b: CustomerWithCredits,
  columns: readonly string[],
): boolean =>
  columns.some(
    (column) => a[column as keyof CustomerWithCredits] !== b[column as keyof CustomerWithCredits],
  );

/** Adds the audit row of a change and, where needed, its event and the cache invalidation. */
export function recordChange(
  unit: Unit,
  action: string,
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
  if (before === null || after === null || differs(before, after, APPLIED)) {
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
