import { sql } from 'kysely';
import { ACCESS_KEY_COLUMNS, KEY_COLUMNS, type UsageColumn } from './outcomes.ts';

export const MINUTE_MS = 60_000;
/** Quarter-hours are stored because the offsets of some time zones are not whole hours. */
export const QUARTER_HOUR_MS = 15 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** `quarters` are quarter-hours. */
export type Level = 'minutes' | 'quarters' | 'days' | 'months';

/**
 * Counts are stored for keys, access keys and projects, and for parts of the counts of keys and projects: those of one
 * resource or unit. Their tables have the same form.
 */
export interface UsageKind {
  readonly name: 'key' | 'access-key' | 'project' | 'resource' | 'unit';
  readonly columns: readonly (UsageColumn | 'amount')[];
  /** The table whose `seq` identifies the counts. */
  readonly owner: 'api_keys' | 'access_keys' | 'project_usage' | 'usage_parts';
  /** Without minutes, counts are written to the quarter-hours. */
  readonly tables: Readonly<Record<'quarters' | 'days', string>> & {
    readonly minutes?: string;
    readonly months?: string;
  };
}

export const KEY_USAGE: UsageKind = {
  name: 'key',
  columns: KEY_COLUMNS,
  owner: 'api_keys',
  tables: {
    minutes: 'usage_minutes',
    quarters: 'usage_quarters',
    days: 'usage_days',
    months: 'usage_months',
  },
};

export const ACCESS_KEY_USAGE: UsageKind = {
  name: 'access-key',
  columns: ACCESS_KEY_COLUMNS,
  owner: 'access_keys',
  tables: {
    minutes: 'access_usage_minutes',
    quarters: 'access_usage_quarters',
    days: 'access_usage_days',
  },
};

export const PROJECT_USAGE: UsageKind = {
  name: 'project',
  columns: KEY_COLUMNS,
  owner: 'project_usage',
  tables: { minutes: 'project_minutes', quarters: 'project_quarters', days: 'project_days' },
};

/** The validations of each resource of a key or project. */
export const RESOURCE_USAGE: UsageKind = {
  name: 'resource',
  columns: KEY_COLUMNS,
  owner: 'usage_parts',
  tables: { quarters: 'resource_quarters', days: 'resource_days', months: 'resource_months' },
};

/** What valid requests of a key or project cost of each unit. */
export const UNIT_USAGE: UsageKind = {
  name: 'unit',
  columns: ['amount'],
  owner: 'usage_parts',
  tables: { quarters: 'unit_quarters', days: 'unit_days', months: 'unit_months' },
};

export const USAGE_KINDS: readonly UsageKind[] = [
  KEY_USAGE,
  ACCESS_KEY_USAGE,
  PROJECT_USAGE,
  RESOURCE_USAGE,
  UNIT_USAGE,
];

export const floorTo = (ms: number, unitMs: number): number => Math.floor(ms / unitMs) * unitMs;

export function monthStart(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/**
 * `times(start)`: the start of every unit in [from, until). Joined with a table that is stored by
 * time, it makes the database look single rows up instead of scanning the range.
 */
export const timesBetween = (from: number, until: number, unitMs: number) => sql`
  times(start) as (
    select cast(${from} as bigint)
    union all
    select start + ${unitMs} from times where start + ${unitMs} < ${until}
  )`;
