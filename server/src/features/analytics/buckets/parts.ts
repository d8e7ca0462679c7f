import { sql } from 'kysely';
import { chunksOf, type Storage, type Tx } from '../../../storage/index.ts';
import type { PartUse } from '../counting/part-counts.ts';
import { RESOURCE_USAGE, UNIT_USAGE } from '../usage-kinds.ts';
import { addMinute } from './add-counts.ts';

/** Adds counts by resource and unit. Keys that were erased since their use are left out. */
export async function addParts(
  storage: Storage,
  tx: Tx,
  minute: number,
  parts: readonly PartUse[],
): Promise<void> {
  if (parts.length === 0) return;
  // In one order, so that concurrent transactions insert and lock the same rows in the same order.
  const sorted = parts.toSorted(inOrder);
  const [resources, units]: [number[][], number[][]] = [[], []];
  for (const chunk of chunksOf(sorted))
    for (const [n, seq] of await seqsOf(tx, chunk)) {
      const { unit, counts } = chunk[n]!;
      (unit === '' ? resources : units).push([seq, ...counts]);
    }
  await addMinute(storage, tx, RESOURCE_USAGE, minute, bySeq(resources));
  await addMinute(storage, tx, UNIT_USAGE, minute, bySeq(units));
}

const bySeq = (rows: number[][]): number[][] => rows.sort((a, b) => a[0]! - b[0]!);

const inOrder = (a: PartUse, b: PartUse): number =>
  (a.keySeq ?? 0) - (b.keySeq ?? 0) ||
  compare(a.projectId, b.projectId) ||
  compare(a.resource, b.resource) ||
  compare(a.unit, b.unit);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type Found = (readonly [index: number, seq: number])[];

/** The rows of the parts, which are created with their first counts. */
async function seqsOf(tx: Tx, parts: readonly PartUse[]): Promise<Found> {
  const indexes = parts.map((_, n) => n);
  const known = await find(tx, parts, indexes);
  if (known.length === parts.length) return known;
  const knownIndexes = new Set(known.map(([n]) => n));
  const missing = indexes.filter((n) => !knownIndexes.has(n));
  await sql`${wanted(parts, missing)}
    insert into usage_parts (project_id, key_seq, resource, unit)
    select project_id, nullif(key_seq, 0), resource, unit from wanted
    where key_seq = 0 or exists (select 1 from api_keys where api_keys.seq = wanted.key_seq)
    order by n on conflict do nothing`.execute(tx);
  return [...known, ...(await find(tx, parts, missing))];
}

async function find(tx: Tx, parts: readonly PartUse[], indexes: readonly number[]): Promise<Found> {
  const { rows } = await sql<{ n: number; seq: number }>`${wanted(parts, indexes)}
    select wanted.n, p.seq from wanted join usage_parts as p
      on p.project_id = wanted.project_id and coalesce(p.key_seq, 0) = wanted.key_seq
        and p.resource = wanted.resource and p.unit = wanted.unit`.execute(tx);
  return rows.map(({ n, seq }) => [n, seq] as const);
}

const wanted = (parts: readonly PartUse[], indexes: readonly number[]) => {
  const rows = indexes.map((n) => {
    const { projectId, keySeq, resource, unit } = parts[n]!;
    return sql`(cast(${n} as bigint), cast(${projectId} as text), cast(${keySeq ?? 0} as bigint),
      cast(${resource} as text), cast(${unit} as text))`;
  });
  return sql`with wanted (n, project_id, key_seq, resource, unit) as (values ${sql.join(rows)})`;
};
