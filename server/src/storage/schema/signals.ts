import type { Immutable } from './columns.ts';

/** Keys that expire, and when to check each of them next. Filled by triggers on `api_keys`. */
export interface ExpiryScheduleTable {
  key_seq: Immutable<number>;
  due_at: number;
}

/** Projects whose notices were changed: all of their keys are scheduled again. */
export interface ExpiryRescansTable {
  project_id: Immutable<string>;
  /** Id of the last key that was scheduled again; empty: none yet. */
  after_id: string;
}

/** Notices that were sent. `step`: days before the expiry; 0: the expiry itself. */
export interface ExpiryNoticesTable {
  expires_at: Immutable<number>;
  key_seq: Immutable<number>;
  step: Immutable<number>;
}

/** The last notice of each counter and threshold. */
export interface ThresholdNoticesTable {
  counter: Immutable<string>;
  percent: Immutable<number>;
  window_ends: number;
  noticed_at: number;
}

/** Mails about notices, at most one a day for each project and kind. `due_at` null: nothing new. */
export interface NoticeMailsTable {
  project_id: Immutable<string>;
  kind: Immutable<'expiry' | 'limits' | 'credits'>;
  due_at: number | null;
  sent_at: number | null;
}

/** The next usage event of a project: its period, its part, and the last row of the part before. */
export interface UsagePeriodsTable {
  project_id: Immutable<string>;
  start: number;
  part: number;
  after: string;
  /** The `usage_events` of the project at part 1; null before that. */
  settings: string | null;
}

/** The number of the last audit event of an account. */
export interface AuditStreamsTable {
  account_id: Immutable<string>;
  number: number;
}

/**
 * `audit stream`: `position` is the last audit row that was streamed. `upgraded at`: `position` is the time
 * from which notices are sent, in milliseconds.
 */
export interface SignalCursorsTable {
  name: Immutable<string>;
  position: number;
}
