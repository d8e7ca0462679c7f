import { isUtc } from './time-zone.ts';
import { DAY } from './times.ts';

/** Value of an expiry field: never, a duration from now, or a date and time. */
export interface ExpiryChoice {
  readonly choice: 'never' | '7d' | '30d' | '90d' | '365d' | 'moment';
  /** Value of a `datetime-local` field: `2030-01-31T12:00`. */
  readonly moment: string;
}

const DURATIONS = { '7d': 7 * DAY, '30d': 30 * DAY, '90d': 90 * DAY, '365d': 365 * DAY };

export const NEVER: ExpiryChoice = { choice: 'never', moment: '' };

/** The field value for the expiry of a record. */
export const expiryChoice = (expiresAt: string | null): ExpiryChoice =>
  expiresAt === null ? NEVER : { choice: 'moment', moment: momentOf(Date.parse(expiresAt)) };

/** The expiry to send: null for never, undefined if the date and time is invalid. */
export function chosenExpiry({ choice, moment }: ExpiryChoice, now: number) {
  if (choice === 'never') return null;
  const at = choice === 'moment' ? timeOf(moment) : now + DURATIONS[choice];
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** A time as the value of a `datetime-local` field, in the selected time zone. */
export function momentOf(at: number): string {
  const offset = isUtc() ? 0 : new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offset).toISOString().slice(0, 16);
}

/** The time of such a value; NaN if it is not complete. */
export const timeOf = (moment: string): number => Date.parse(isUtc() ? `${moment}Z` : moment);
