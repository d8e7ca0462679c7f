import { KeywardError } from '../../kernel/errors.ts';
import { ProjectRecords, type RecordParts } from '../resources/index.ts';
import { COUNTED_MAX, usesOf } from './uses.ts';

/** Plans: named settings that keys and customers of a project share. */
export class PlanService extends ProjectRecords<'plans'> {
  constructor(parts: RecordParts) {
    super('plans', parts, {
      columns: (before) => ({ revision: (before?.revision ?? 0) + 1 }),
      scopesFor: ({ credits }, isNew) =>
        (isNew ? credits : credits !== undefined) ? ['credits:write'] : [],
      // The lock on the row keeps other changes from assigning the plan meanwhile.
      checkDelete: async ({ tx }, row) => requireUnused(await usesOf(tx, row)),
      // A plan that is created or deleted has no keys.
      updated: (unit, { id, account_id: accountId, project_id: projectId }) =>
        unit.affects({ kind: 'plan', id, accountId, projectId }),
    });
  }
}

function requireUnused({ keys, customers, isDefault }: Awaited<ReturnType<typeof usesOf>>): void {
  if (keys === 0 && customers === 0 && !isDefault) return;
  const users = [
    ...(keys > 0 ? [counted(keys, 'key')] : []),
    ...(customers > 0 ? [counted(customers, 'customer')] : []),
  ].join(' and ');
  const uses = [
    ...(users === '' ? [] : [`used by ${users}`]),
    ...(isDefault ? ['the default of its project'] : []),
  ].join(', and is ');
  throw new KeywardError('plan_in_use', `This plan is ${uses}. Choose another plan first.`);
}

const counted = (count: number, noun: string): string =>
  count > COUNTED_MAX
    ? `more than ${COUNTED_MAX.toLocaleString('en')} ${noun}s`
    : `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
