import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../storage/index.ts';
import { KEY_USAGE, type UsageKind } from '../usage-kinds.ts';
import { all } from './counts-filter.ts';

/**
 * Whose counts to read, and how to group them. In `where`, `group` and `label`, `m` is the owner table, and `p` is
 * `usage_parts` if parts are read.
 */
export interface CountSelection {
  readonly kind: UsageKind;
  readonly where: RawBuilder<SqlBool>;
  /** A column of `m` or `p`, or a constant. */
  readonly group: RawBuilder<unknown>;
  /** A second column to group by. */
  readonly label?: RawBuilder<unknown>;
  /** Whether to look each owner up. Otherwise all rows of the time range are read. */
  readonly isSmall: boolean;
  /** The owners of the counts, if they are few and known. */
  readonly seqs?: readonly number[];
  /** Only parts of the counts of `owner as m`: the rows of `usage_parts as p` that meet the condition. */
  readonly via?: { readonly owner: UsageKind['owner']; readonly on: RawBuilder<SqlBool> };
}

/** The tables that lead from an owner to its counts. */
export const owners = ({ kind, via }: CountSelection): RawBuilder<unknown> =>
  via === undefined
    ? sql`${sql.table(kind.owner)} as m`
    : sql`${sql.table(via.owner)} as m cross join usage_parts as p`;

/** The same tables, to be read from counts to their owner. */
export const ownersOfCounts = ({ kind, via }: CountSelection): RawBuilder<unknown> =>
  via === undefined
    ? sql`${sql.table(kind.owner)} as m`
    : sql`usage_parts as p cross join ${sql.table(via.owner)} as m`;

/** Whether counts `u` are those of the owner. */
export const isOwner = ({ via }: CountSelection): RawBuilder<SqlBool> =>
  via === undefined ? sql`m.seq = u.seq` : sql`p.seq = u.seq and ${via.on}`;

/** Up to this many owners, a lookup for each quarter-hour costs less than reading all rows. */
const SMALL_MAX = 1_000;

/** Exactly these owners, each its own group. */
export const selectBySeq = (kind: UsageKind, seqs: readonly number[]): CountSelection => ({
  kind,
  where: sql<SqlBool>`m.seq in (${sql.join(seqs)})`,
  group: sql.ref('m.seq'),
  isSmall: true,
  seqs,
});

/** Keys that meet all conditions, grouped by a column or a constant; see `selectKeyCounts` for requests. */
export const selectKeys = (
  db: Kysely<Database>,
  conditions: readonly RawBuilder<SqlBool>[],
  group: RawBuilder<unknown>,
): Promise<CountSelection> => selectOwners(db, KEY_USAGE, conditions, group);

export async function selectOwners(
  db: Kysely<Database>,
  kind: UsageKind,
  conditions: readonly RawBuilder<SqlBool>[],
  group: RawBuilder<unknown>,
): Promise<CountSelection> {
  return withOwners(db, { kind, where: all(conditions), group });
}

/** Finds out whether the owners of the counts are few, and which they are. */
export async function withOwners(
  db: Kysely<Database>,
  selection: Omit<CountSelection, 'isSmall' | 'seqs'>,
): Promise<CountSelection> {
  const { where, via } = selection;
  const few = { ...selection, isSmall: true };
  const seq = sql.ref(via === undefined ? 'm.seq' : 'p.seq');
  const on = via === undefined ? sql`` : sql`${via.on} and`;
  const { rows } = await sql<{ seq: number }>`
    select ${seq} as seq from ${owners(few)} where ${on} ${where} limit ${SMALL_MAX + 1}`.execute(
    db,
  );
  if (rows.length > SMALL_MAX) return { ...selection, isSmall: false };
  return { ...few, seqs: rows.map((row) => row.seq) };
}
