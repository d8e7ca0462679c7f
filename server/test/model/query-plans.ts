import { CompiledQuery } from 'kysely';
import type { Storage } from '../../src/storage/index.ts';

/** The queries that `work` reads with. */
export async function queriesOf(
  storage: Storage,
  work: () => Promise<unknown>,
): Promise<CompiledQuery[]> {
  const queries: CompiledQuery[] = [];
  const executor = storage.read.getExecutor();
  const { executeQuery } = executor;
  executor.executeQuery = (query, ...rest) => {
    queries.push(query);
    return executeQuery.call(executor, query, ...rest) as never;
  };
  try {
    await work();
  } finally {
    executor.executeQuery = executeQuery;
  }
  return queries;
}

const explain = <Row>(storage: Storage, { sql, parameters }: CompiledQuery, how: string) =>
  storage.transaction((tx) =>
    tx.executeQuery<Row>(CompiledQuery.raw(`${how} ${sql}`, [...parameters])),
  );

interface PlanRow {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** What is wrong with the plan of SQLite: a table that is read as a whole, or a sort of what an index found. */
export async function sqliteFaults(storage: Storage, query: CompiledQuery): Promise<string[]> {
  const { rows } = await explain<PlanRow>(storage, query, 'explain query plan');
  const parts = rows.map(({ detail }) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)/.exec(detail)?.[1]);
  const isPart = (name: string) =>
    parts.includes(name) || ['CONSTANT', 'times', 'v', 'SUBQUERY'].includes(name);
  return rows.flatMap(({ detail, parent }) => {
    const scanned = /^SCAN (\w+)/.exec(detail)?.[1];
    if (scanned !== undefined && !isPart(scanned)) return [detail];
    if (/AUTOMATIC/.test(detail)) return [detail];
    if (!/TEMP B-TREE FOR (?:LAST .*)?ORDER BY/.test(detail)) return [];
    const [outer] = rows.filter(
      (row) => row.parent === parent && /^(SCAN|SEARCH)/.test(row.detail),
    );
    const isOfPart = outer !== undefined && /^SCAN/.test(outer.detail);
    return isOfPart ? [] : [`${detail} of ${outer?.detail}`];
  });
}

/** The indexes that a plan of SQLite reads, with their conditions. */
export async function sqliteSearches(storage: Storage, query: CompiledQuery): Promise<string[]> {
  const { rows } = await explain<PlanRow>(storage, query, 'explain query plan');
  return rows.map(({ detail }) => detail).filter((detail) => detail.startsWith('SEARCH'));
}

interface PlanNode {
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows of tables PostgreSQL reads for a query. */
export async function postgresRows(storage: Storage, query: CompiledQuery): Promise<number> {
  const { rows } = await explain<Record<string, unknown>>(
    storage,
    query,
    'explain (analyze, format json, timing off)',
  );
  const found = rows[0]!['QUERY PLAN'] as string | [{ Plan: PlanNode }];
  const [{ Plan }] = typeof found === 'string' ? JSON.parse(found) : found;
  return rowsOf(Plan as PlanNode);
}

const rowsOf = (node: PlanNode): number =>
  (node['Relation Name'] === undefined
    ? 0
    : ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) *
      (node['Actual Loops'] ?? 1)) +
  (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0);
