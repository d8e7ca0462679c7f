import type { Unit } from '../../changes/index.ts';
import { insertMembership } from './store.ts';

/** Whoever makes an account owns it. */
export async function makeOwner(unit: Unit, accountId: string, userId: string): Promise<void> {
  const role = 'owner';
  await insertMembership(unit.tx, { userId, accountId, role, projectIds: null }, unit.now);
  unit.audit({
    action: 'user.joined',
    accountId,
    projectId: null,
    targetType: 'user',
    targetId: userId,
    after: { id: userId, role, projectIds: null },
  });
}
