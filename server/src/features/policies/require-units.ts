import { undeclaredUnit } from '@keyward/rules/cost.ts';
import type { Kysely } from 'kysely';
import { KeywardError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/index.ts';
import type { Limit } from './schema.ts';

/** The units that a project declares, from its column. */
const unitsOf = (text: string | null): readonly string[] =>
  text === null ? NO_UNITS : (JSON.parse(text) as string[]);

const NO_UNITS: readonly string[] = [];

/** Throws unless the project declares all units that these limits count. `limits`: as stored. */
export async function requireUnits(
  db: Kysely<Database>,
  projectId: string,
  limits: string | null | undefined,
): Promise<void> {
  const counted = countedUnits(limits);
  if (counted.size === 0) return;
  const row = await db
    .selectFrom('projects')
    .select('units')
    .where('id', '=', projectId)
    .executeTakeFirst();
  const unit = undeclaredUnit(counted, unitsOf(row?.units ?? null));
  if (unit !== null)
    throw new KeywardError(
      'invalid_body',
      `limits: the project does not declare the unit "${unit}". Add it to \`units\` of the project first.`,
    );
}

export const countsUnits = (limits: string | null | undefined): boolean =>
  countedUnits(limits).size > 0;

const countedUnits = (limits: string | null | undefined): ReadonlyMap<string, number> =>
  new Map(
    limits?.includes('"unit"')
      ? (JSON.parse(limits) as Limit[]).flatMap(({ unit }) =>
          unit === undefined ? [] : [[unit, 1]],
        )
      : [],
  );
