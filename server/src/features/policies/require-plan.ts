import type { Kysely } from 'kysely';
import { KeywardError } from '../../kernel/errors.ts';
import { type Database, forShare } from '../../storage/index.ts';

/** Throws unless the project has this plan. In a transaction, the plan cannot be deleted until it ends. */
export async function requirePlan(
  db: Kysely<Database>,
  projectId: string,
  planId: string,
): Promise<void> {
  const query = db
    .selectFrom('plans')
    .select('id')
    .where('id', '=', planId)
    .where('project_id', '=', projectId);
  const row = await forShare(db, query, 'plans').executeTakeFirst();
  if (row === undefined) throw new KeywardError('plan_not_found');
}
