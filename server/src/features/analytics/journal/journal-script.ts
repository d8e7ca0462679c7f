import { type CompiledQuery, sql } from 'kysely';
import type { Script, Step, Storage } from '../../../storage/index.ts';
import { addExcluded, outcomeColumns } from '../buckets/add-counts.ts';
import { levelName } from '../buckets/watermarks.ts';
import type { ProjectUse } from '../counting/open-counts.ts';
import type { UsageBatch } from '../counting/usage-batch.ts';
import { ACCESS_KEYS, floorTo, PROJECTS, QUARTER_MS, type Subject } from '../usage-kinds.ts';

/**
 * A batch that goes into the journal as one script, for an engine that takes scripts. Four times a
 * second a dozen statements, each built, sent and waited for, cost more than counting all that is
 * counted between them.
 *
 * The guards leave to the ordinary way what asks for a decision in between: a batch that may be
 * written already, and a minute of which a part has been summed up.
 */
export function journalScripts(storage: Storage): (batch: NumberedBatch, now: number) => Script {
  let built: Statements | undefined;
  return ({ nodeId, batch }, now) => {
    built ??= statementsFor(storage);
    const { minute, keys, accessKeys, accessKeyLastUses, projects } = batch;
    const quarter = floorTo(minute, QUARTER_MS);
    const steps: Step[] = [
      { statement: built.claim, parameters: [nodeId, batch.number, now] },
      { statement: built.journal, parameters: [minute, keys] },
    ];
    for (const parameters of accessKeyLastUses)
      steps.push({ statement: built.accessKeyUse, parameters });
    for (const row of accessKeys)
      steps.push({ statement: built.accessKeyMinute, parameters: [minute, ...row] });
    for (const use of projects) steps.push(...stepsOf(built, use, minute));
    return {
      guards: [
        { statement: built.isWritten, parameters: [nodeId, batch.number] },
        { statement: built.isSummedUp, parameters: [quarter, quarter] },
      ],
      steps,
    };
  };
}

interface NumberedBatch {
  readonly nodeId: string;
  readonly batch: UsageBatch;
}

function stepsOf(statements: Statements, use: ProjectUse, minute: number): Step[] {
  const { projectId, counts, usedSince, usedAt } = use;
  return [
    { statement: statements.projectUse, parameters: [projectId, usedSince, usedAt] },
    { statement: statements.projectMinute, parameters: [minute, ...counts, projectId] },
  ];
}

type Statements = ReturnType<typeof statementsFor>;

/** Values are told with each run. */
function statementsFor({ point }: Storage) {
  const compile = (statement: ReturnType<typeof sql>): CompiledQuery => statement.compile(point);
  const levels = [ACCESS_KEYS, PROJECTS].map((subject) => levelName(subject, 'minutes'));
  const counts = (subject: Subject) => sql.join(subject.outcomes.map(() => sql`${0}`));
  return {
    isWritten: compile(sql`select 1 from usage_flushes where node_id = ${''} and batch >= ${0}`),
    isSummedUp: compile(sql`select 1 from usage_watermarks
      where level in (${sql.join(levels.map((level) => sql.lit(level)))})
        and (rolled_until > ${0} or (rolled_until = ${0} and cursor > 0))`),
    claim: compile(sql`insert into usage_flushes (node_id, batch, flushed_at)
      values (${''}, ${0}, ${0})
      on conflict (node_id) do update set batch = excluded.batch, flushed_at = excluded.flushed_at`),
    journal: compile(sql`insert into usage_journal (minute, entries, folding)
      values (${0}, ${''}, 0)`),
    accessKeyUse: compile(sql`update access_keys set last_used_at = ${0}
      where seq = ${0} and (last_used_at is null or last_used_at < ${0})`),
    accessKeyMinute: compile(sql`
      insert into access_usage_minutes (start, seq, ${outcomeColumns(ACCESS_KEYS)})
      values (${0}, ${0}, ${counts(ACCESS_KEYS)})
      on conflict (start, seq) do update set ${addExcluded('access_usage_minutes', ACCESS_KEYS)}`),
    projectUse: compile(sql`
      insert into project_usage (project_id, first_used_at, last_used_at)
      values (${''}, ${0}, ${0})
      on conflict (project_id) do update set
        first_used_at = coalesce(project_usage.first_used_at, excluded.first_used_at),
        last_used_at = max(coalesce(project_usage.last_used_at, excluded.last_used_at),
          coalesce(excluded.last_used_at, project_usage.last_used_at))`),
    projectMinute: compile(sql`
      insert into project_minutes (start, seq, ${outcomeColumns(PROJECTS)})
      select ${0}, seq, ${counts(PROJECTS)} from project_usage where project_id = ${''}
      on conflict (start, seq) do update set ${addExcluded('project_minutes', PROJECTS)}`),
  };
}
