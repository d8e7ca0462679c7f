import { sql } from 'kysely';

/**
 * `times(start)`: every unit from `from` up to `until`. Driven by it, a table that is clustered by
 * time is asked for single rows, wherever they stand, instead of being read through.
 */
export const timesBetween = (from: number, until: number, unitMs: number) => sql`
  times(start) as (
    select cast(${from} as bigint)
    union all
    select start + ${unitMs} from times where start + ${unitMs} < ${until}
  )`;
