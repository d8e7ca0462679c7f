import type { Kysely } from 'kysely';
import type { Database } from '../../storage/index.ts';

/** Bounds the work of a count. */
export const COUNTED_MAX = 100_000;

/**
 * How many keys and customers have the plan, each counted up to `COUNTED_MAX` + 1, and whether the plan is
 * the default of its project.
 */
export async function usesOf(
  db: Kysely<Database>,
  plan: { readonly id: string; readonly project_id: string },
) {
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
