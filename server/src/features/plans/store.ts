import type { Kysely, Selectable } from 'kysely';
import type { Tenant } from '../../kernel/authority.ts';
import type { RowRange } from '../../kernel/paging.ts';
import { type Database, forUpdate, type Storage } from '../../storage/index.ts';
import type { PlansTable } from '../../storage/schema/customers.ts';
import type { ListPlans } from './schema.ts';

export type PlanRow = Selectable<PlansTable>;

function planRows(db: Kysely<Database>, { accountId, projectIds }: Tenant) {
  const query = db.selectFrom('plans').selectAll().where('account_id', '=', accountId);
  return projectIds === null ? query : query.where('project_id', 'in', projectIds);
}

export const findPlan = (
  db: Kysely<Database>,
  tenant: Tenant,
  id: string,
): Promise<PlanRow | undefined> =>
  forUpdate(db, planRows(db, tenant).where('id', '=', id), 'plans').executeTakeFirst();

export function listPlanRows(
  storage: Storage,
  tenant: Tenant,
  { projectId }: ListPlans,
  { after, offset, size }: RowRange<string>,
): Promise<PlanRow[]> {
  let query = planRows(storage.read, tenant).orderBy('id', 'desc').limit(size).offset(offset);
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  if (after !== null) query = query.where('id', '<', after);
  return query.execute();
}

/** Bounds the work of a count. */
export const COUNTED_MAX = 100_000;

/**
 * How many keys and customers have the plan, each counted up to `COUNTED_MAX` + 1, and whether the plan is
 * the default of its project.
 */
export async function usesOf(db: Kysely<Database>, plan: PlanRow) {
  const count = async (table: 'api_keys' | 'customers') => {
    const rows = db.selectFrom(table).select('id').where('plan_id', '=', plan.id);
    const { count } = await db
      .selectFrom(rows.limit(COUNTED_MAX + 1).as('found'))
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  const project = await db
    .selectFrom('projects')
    .select('default_plan_id')
    .where('id', '=', plan.project_id)
    .executeTakeFirst();
  return {
    keys: await count('api_keys'),
    customers: await count('customers'),
    isDefault: project?.default_plan_id === plan.id,
  };
}
