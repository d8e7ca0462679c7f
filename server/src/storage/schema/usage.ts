import type { Generated } from 'kysely';
import type { Flag, Immutable } from './columns.ts';

/**
 * Validations by outcome, in the interval that begins at `start`. The table is named after the length of
 * its intervals; `quarters` are quarter-hours.
 */
export interface KeyCountsTable {
  start: Immutable<number>;
  /** `seq` of the key; in the tables of projects, of the row in project_usage; of resources, in usage_parts. */
  seq: Immutable<number>;
  valid: number;
  rate_limited: number;
  revoked: number;
  expired: number;
  domain_denied: number;
  not_started: number;
  ip_denied: number;
  permission_denied: number;
  credits_exhausted: number;
  /** Sum of the costs of valid requests, minus their number. */
  extra_cost: number;
}

/** Counted by the access key of the caller; the validated values may be unknown. */
export interface AccessKeyCountsTable extends KeyCountsTable {
  unknown: number;
  malformed: number;
}

export interface ProjectUsageTable {
  seq: Generated<number>;
  project_id: Immutable<string>;
  first_used_at: number | null;
  last_used_at: number | null;
}

/**
 * A part of the usage of a key or of a whole project: of one resource, or one unit. Its `seq` identifies the counts of
 * that part.
 */
export interface UsagePartsTable {
  seq: Generated<number>;
  project_id: Immutable<string>;
  /** null: of all keys of the project, also of those that were erased. */
  key_seq: Immutable<number | null>;
  /** The first pattern that matched, or `other`; empty: the project declares no resources. */
  resource: Immutable<string>;
  /** Empty: the validations by outcome. */
  unit: Immutable<string>;
}

export interface UnitCountsTable {
  start: Immutable<number>;
  seq: Immutable<number>;
  /** The sum of what valid requests cost of the unit; of `requests`, minus what they cost in credits. */
  amount: number;
}

/** Counts of many keys within one minute, not yet added to their rows. */
export interface UsageJournalTable {
  id: Generated<number>;
  minute: Immutable<number>;
  entries: Uint8Array;
  /** 1: is being added to the rows of its keys. */
  folding: Flag;
}

/**
 * The last batch of each process that counts usage, so that no batch is written twice. `node_id`: the random
 * id of a server's tally, or access key and reporter.
 */
export interface UsageFlushesTable {
  node_id: Immutable<string>;
  batch: number;
  flushed_at: number;
}

/** How far a level has been rolled up into the next one, and up to which `seq` in the current interval. */
export interface UsageWatermarksTable {
  level: Immutable<string>;
  rolled_until: number;
  cursor: number;
}

/** Samples of refused validations, see docs/decisions/0062-refusals-and-leaks.md. */
export interface RefusalsTable {
  id: Immutable<string>;
  account_id: Immutable<string>;
  project_id: Immutable<string>;
  key_seq: Immutable<number>;
  /** null: a person tried the key in the dashboard. */
  access_key_seq: Immutable<number | null>;
  time: Immutable<number>;
  code: Immutable<string>;
  client_ip: Immutable<string | null>;
  origin: Immutable<string | null>;
  /** JSON array. */
  missing: Immutable<string | null>;
  limit_name: Immutable<string | null>;
  cost: Immutable<number>;
}

/** How many refusals of a minute are not in `refusals`. */
export interface RefusalOmissionsTable {
  account_id: Immutable<string>;
  minute: Immutable<number>;
  project_id: Immutable<string>;
  /** 0: of keys that are not counted separately. */
  key_seq: Immutable<number>;
  omitted: number;
}
