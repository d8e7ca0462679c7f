import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Script, Storage } from '../../../storage/index.ts';
import { addExcluded, outcomeColumns } from '../buckets/add-counts.ts';
import { levelName } from '../buckets/watermarks.ts';
import type { ProjectUse } from '../counting/open-counts.ts';
import type { UsageBatch } from '../counting/usage-batch.ts';
import { ACCESS_KEYS, floorTo, PROJECTS, QUARTER_MS } from '../usage-kinds.ts';

/**
 * Writes a batch to the journal as one script, on engines that have scripts: a dozen statements that
 * wait for each other, four times a second, cost more than counting what is counted in between.
 *
 * The guards leave cases that need a decision to the ordinary transaction: a batch that may be
 * written already, and a minute that is partly rolled up.
 */
export function journalScript(
  { point }: Storage,
  { nodeId, batch }: NumberedBatch,
  now: number,
): Script {
  const compile = (statement: RawBuilder<unknown>): CompiledQuery => statement.compile(point);
  const { minute, keys, accessKeys, accessKeyLastUses, projects } = batch;
  const quarter = floorTo(minute, QUARTER_MS);
  const levels = [ACCESS_KEYS, PROJECTS].map((subject) => sql.lit(levelName(subject, 'minutes')));
  const guards = [
    sql`select 1 from usage_flushes where node_id = ${nodeId} and batch >= ${batch.number}`,
    sql`select 1 from usage_watermarks where level in (${sql.join(levels)})
      and (rolled_until > ${quarter} or (rolled_until = ${quarter} and cursor > 0))`,
  ];
  const steps = [
    sql`insert into usage_flushes (node_id, batch, flushed_at)
      values (${nodeId}, ${batch.number}, ${now})
      on conflict (node_id) do update set batch = excluded.batch, flushed_at = excluded.flushed_at`,
    sql`insert into usage_journal (minute, entries, folding) values (${minute}, ${keys}, 0)`,
    ...accessKeyLastUses.map(
      ([usedAt, seq]) => sql`update access_keys set last_used_at = ${usedAt}
        where seq = ${seq} and (last_used_at is null or last_used_at < ${usedAt})`,
    ),
    ...accessKeys.map(
      (row) => sql`insert into access_usage_minutes (start, seq, ${outcomeColumns(ACCESS_KEYS)})
        values (${minute}, ${sql.join(row)})
        on conflict (start, seq) do update set ${addExcluded('access_usage_minutes', ACCESS_KEYS)}`,
    ),
    ...projects.flatMap((use) => projectSteps(use, minute)),
  ];
  return { guards: guards.map(compile), steps: steps.map(compile) };
}

interface NumberedBatch {
  readonly nodeId: string;
  readonly batch: UsageBatch;
}

function projectSteps({ projectId, counts, usedSince, usedAt }: ProjectUse, minute: number) {
  return [
    sql`insert into project_usage (project_id, first_used_at, last_used_at)
      values (${projectId}, ${usedSince}, ${usedAt})
      on conflict (project_id) do update set
        first_used_at = coalesce(project_usage.first_used_at, excluded.first_used_at),
        last_used_at = max(coalesce(project_usage.last_used_at, excluded.last_used_at),
          coalesce(excluded.last_used_at, project_usage.last_used_at))`,
    sql`insert into project_minutes (start, seq, ${outcomeColumns(PROJECTS)})
      select ${minute}, seq, ${sql.join([...counts])} from project_usage
      where project_id = ${projectId}
      on conflict (start, seq) do update set ${addExcluded('project_minutes', PROJECTS)}`,
  ];
}
