import { DAY } from './times.ts';

/** What is chosen in a field for an expiry: never, so long from now, or a moment. */
export interface ExpiryChoice {
  readonly choice: 'never' | '7d' | '30d' | '90d' | '365d' | 'moment';
  /** As a field of the browser has it, in the time of the reader: `2030-01-31T12:00`. */
  readonly moment: string;
}

const LENGTHS = { '7d': 7 * DAY, '30d': 30 * DAY, '90d': 90 * DAY, '365d': 365 * DAY };

export const NEVER: ExpiryChoice = { choice: 'never', moment: '' };

/** The choice that stands for what a record has. */
export const expiryChoice = (expiresAt: string | null): ExpiryChoice =>
  expiresAt === null ? NEVER : { choice: 'moment', moment: localMoment(Date.parse(expiresAt)) };

/** What to send: null for never, undefined when no moment is given that could be read. */
export function chosenExpiry({ choice, moment }: ExpiryChoice, now: number) {
  if (choice === 'never') return null;
  const at = choice === 'moment' ? Date.parse(moment) : now + LENGTHS[choice];
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** A time as the browser's own field writes it: of the reader's clock, without an offset. */
export function localMoment(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offset).toISOString().slice(0, 16);
}
