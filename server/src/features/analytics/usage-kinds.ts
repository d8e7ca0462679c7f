import { sql } from 'kysely';
import { ACCESS_KEY_OUTCOMES, KEY_OUTCOMES, type Outcome } from './outcomes.ts';

/** The lengths that counts are kept in. Quarter-hours, because time zones are offset by them. */
export const MINUTE_MS = 60_000;
export const QUARTER_MS = 15 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export type Level = 'minutes' | 'quarters' | 'days' | 'months';

/** Whom counts tell of: the same tables and the same code for each. */
export interface Subject {
  readonly name: 'key' | 'access-key' | 'project';
  readonly outcomes: readonly Outcome[];
  /** The table whose `seq` the counts are kept under. */
  readonly owner: 'api_keys' | 'access_keys' | 'project_usage';
  readonly tables: Readonly<Record<Exclude<Level, 'months'>, string>> & {
    readonly months?: string;
  };
}

export const KEYS: Subject = {
  name: 'key',
  outcomes: KEY_OUTCOMES,
  owner: 'api_keys',
  tables: {
    minutes: 'usage_minutes',
    quarters: 'usage_quarters',
    days: 'usage_days',
    months: 'usage_months',
  },
};

export const ACCESS_KEYS: Subject = {
  name: 'access-key',
  outcomes: ACCESS_KEY_OUTCOMES,
  owner: 'access_keys',
  tables: {
    minutes: 'access_usage_minutes',
    quarters: 'access_usage_quarters',
    days: 'access_usage_days',
  },
};

export const PROJECTS: Subject = {
  name: 'project',
  outcomes: KEY_OUTCOMES,
  owner: 'project_usage',
  tables: { minutes: 'project_minutes', quarters: 'project_quarters', days: 'project_days' },
};

export const SUBJECTS: readonly Subject[] = [KEYS, ACCESS_KEYS, PROJECTS];

export const floorTo = (ms: number, unitMs: number): number => Math.floor(ms / unitMs) * unitMs;

export function monthStart(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

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
