import type { Kysely } from 'kysely';
import { KeywardError } from '../../kernel/errors.ts';
import { type Database, forShare } from '../../storage/index.ts';

/** Throws unless the project has this plan. Within a transaction, it also locks the plan against deletion. */
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
