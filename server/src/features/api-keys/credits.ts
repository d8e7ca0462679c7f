import { type Principal, requireScope } from '../../kernel/authority.ts';
import type { Unit } from '../changes/index.ts';
import {
  type CreditPool,
  type CreditsChange,
  creditPool,
  keysOfGroup,
  type PoolOwner,
} from '../credits/index.ts';
import { creditLevel, type UpperLevels } from '../policies/index.ts';
import type { KeyFields } from './store.ts';

type PayingKey = Pick<KeyFields, 'account_id' | 'project_id' | 'limit_group' | 'custom_account_id'>;

export const poolOwnerOf = (row: Omit<PayingKey, 'custom_account_id'>): PoolOwner => ({
  accountId: row.account_id,
  projectId: row.project_id,
  ownerType: 'key',
  owner: row.limit_group,
});

/** The pool that pays for the requests of a key: its own, its customer's, or the one that its plan opens. */
export function creditPoolOf(row: PayingKey & UpperLevels): CreditPool | null {
  const level = creditLevel(row);
  if (level === null) return null;
  const ofKey = poolOwnerOf(row);
  if (level === 'key') return creditPool(ofKey);
  const { custom_account_id: owner } = row;
  const shared = owner === null ? ofKey : { ...ofKey, ownerType: 'customer' as const, owner };
  if (level === 'customer') return creditPool(shared);
  return creditPool(shared, { id: row.effective_plan_id!, ...JSON.parse(row.plan_credits!) });
}

export function requireCreditsScope(principal: Principal, row: KeyFields): void {
  const resource = { accountId: row.account_id, projectId: row.project_id };
  requireScope(principal, 'credits:write', resource, 'key_not_found');
}

/** If a key gets or loses its credits, invalidates it and the keys that it was rotated from or to. */
export async function invalidateGroup(
  unit: Unit,
  row: KeyFields,
  { before, after }: CreditsChange,
): Promise<void> {
  if ((before === null) === (after === null)) return;
  const { account_id: accountId, project_id: projectId } = row;
  for (const { id, hash } of await keysOfGroup(unit.tx, row.limit_group))
    unit.affects({ kind: 'api-key', id, hash, accountId, projectId });
}
