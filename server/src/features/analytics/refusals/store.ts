import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { MakeId } from '../../../kernel/ids.ts';
import type { RowRange } from '../../../kernel/paging.ts';
import { executeMany, type Storage, type Tx } from '../../../storage/index.ts';
import { floorTo, MINUTE_MS } from '../usage-kinds.ts';
import type { Omission, RefusalSample, Refusals } from './sampler.ts';

/** Called in the transaction of the counts. Leaves out samples of keys that were erased meanwhile. */
export async function writeRefusals(
  tx: Tx,
  { samples, omissions }: Refusals,
  ids: MakeId,
): Promise<void> {
  await insertSamples(tx, samples, ids);
  await addOmissions(tx, omissions);
}

function insertSamples(tx: Tx, samples: readonly RefusalSample[], ids: MakeId): Promise<void> {
  const rows = samples.map((sample) => ({
    ...sample,
    id: ids('rfs'),
    missing: sample.missing && JSON.stringify(sample.missing),
  }));
  return executeMany(
    tx,
    rows,
    (row) => sql`insert into refusals
      (id, account_id, project_id, key_seq, access_key_seq, time, code, client_ip, origin, missing,
        limit_name, cost)
    select cast(${row.id} as text), cast(${row.accountId} as text), cast(${row.projectId} as text),
      cast(${row.keySeq} as bigint), cast(${row.accessKeySeq} as bigint), cast(${row.time} as bigint),
      cast(${row.code} as text), cast(${row.clientIP} as text), cast(${row.origin} as text),
      cast(${row.missing} as text), cast(${row.limit} as text), cast(${row.cost} as bigint)
    where exists (select 1 from api_keys where seq = cast(${row.keySeq} as bigint))`,
  );
}

/** Sorted by primary key, so that concurrent transactions lock rows in the same order. */
const addOmissions = (tx: Tx, omissions: readonly Omission[]): Promise<void> =>
  executeMany(
    tx,
    omissions.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
    (row) => sql`insert into refusal_omissions (account_id, minute, project_id, key_seq, omitted)
    values (cast(${row.accountId} as text), cast(${row.minute} as bigint),
      cast(${row.projectId} as text), cast(${row.keySeq} as bigint), cast(${row.count} as bigint))
    on conflict (account_id, minute, project_id, key_seq)
    do update set omitted = refusal_omissions.omitted + excluded.omitted`,
  );

const sortKey = ({ accountId, minute, projectId, keySeq }: Omission): string =>
  `${accountId} ${minute} ${projectId} ${String(keySeq).padStart(16, '0')}`;

/** The refusals that a query may read: those of the caller's tenant, narrowed by its filters. */
export interface RefusalFilter {
  readonly accountId: string;
  /** null: all projects of the account. */
  readonly projectIds: readonly string[] | null;
  readonly keySeq: number | null;
  /** null: keys without one; undefined: all. */
  readonly customAccountId: string | null | undefined;
  readonly code: string | undefined;
  readonly from: number | null;
  readonly to: number | null;
}

export interface RefusalPosition {
  readonly time: number;
  readonly id: string;
}

export interface RefusalRow extends RefusalPosition {
  readonly project_id: string;
  readonly key_id: string;
  readonly access_key_id: string | null;
  readonly code: string;
  readonly client_ip: string | null;
  readonly origin: string | null;
  readonly missing: string | null;
  readonly limit_name: string | null;
  readonly cost: number;
}

/** Newest first. */
export async function listRefusalRows(
  { read }: Storage,
  filter: RefusalFilter,
  { after, offset, size }: RowRange<RefusalPosition>,
): Promise<readonly RefusalRow[]> {
  const conditions = [...tenantConditions(filter)];
  if (filter.code !== undefined) conditions.push(sql`r.code = ${filter.code}`);
  if (filter.from !== null) conditions.push(sql`r.time >= ${filter.from}`);
  if (after !== null) conditions.push(sql`(r.time, r.id) < (${after.time}, ${after.id})`);
  else if (filter.to !== null) conditions.push(sql`r.time < ${filter.to}`);
  const { rows } = await sql<RefusalRow>`
    select r.id, r.project_id, r.time, r.code, r.client_ip, r.origin, r.missing, r.limit_name, r.cost,
      k.id as key_id, a.id as access_key_id
    from refusals as r
    join api_keys as k on k.seq = r.key_seq
    left join access_keys as a on a.seq = r.access_key_seq
    where ${sql.join(conditions, sql` and `)}
    order by r.time desc, r.id desc limit ${size} offset ${offset}`.execute(read);
  return rows;
}

/** How many refusals in the minutes of the time range were not recorded, whatever their code. */
export async function countOmitted({ read }: Storage, filter: RefusalFilter): Promise<number> {
  const conditions = [...tenantConditions(filter)];
  if (filter.from !== null) conditions.push(sql`r.minute >= ${floorTo(filter.from, MINUTE_MS)}`);
  if (filter.to !== null) conditions.push(sql`r.minute < ${filter.to}`);
  const { rows } = await sql<{ omitted: number }>`
    select cast(coalesce(sum(r.omitted), 0) as bigint) as omitted from refusal_omissions as r
    left join api_keys as k on k.seq = r.key_seq
    where ${sql.join(conditions, sql` and `)}`.execute(read);
  return Number(rows[0]!.omitted);
}

function* tenantConditions(filter: RefusalFilter): Generator<RawBuilder<SqlBool>> {
  const { accountId, projectIds, keySeq, customAccountId } = filter;
  yield sql`r.account_id = ${accountId}`;
  if (projectIds !== null) yield sql`r.project_id in (${sql.join(projectIds)})`;
  if (keySeq !== null) yield sql`r.key_seq = ${keySeq}`;
  if (customAccountId === null) yield sql`k.seq is not null and k.custom_account_id is null`;
  else if (customAccountId !== undefined) yield sql`k.custom_account_id = ${customAccountId}`;
}
