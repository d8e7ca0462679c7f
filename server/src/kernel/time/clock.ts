/** Milliseconds since 1970, UTC. Passed in, so that tests can control it. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

let lastMs = Number.NaN;
let lastText = '';

/** The format of all times in JSON. */
export function isoTime(ms: number): string {
  if (ms === lastMs) return lastText;
  const text = new Date(ms).toISOString();
  lastMs = ms;
  lastText = text;
  return text;
}

export const isoTimeOrNull = (ms: number | null): string | null =>
  ms === null ? null : isoTime(ms);

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** A time must still be in this range, and thus printable, after its offset is applied. */
const FIRST_TIME = Date.parse('0100-01-01T00:00:00.000Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads an ISO 8601 date-time, a date, or `YYYY-MM-DD HH:mm:ss`; without an offset it is UTC.
 * Strict about the calendar: `Date.parse` would turn 30 February into 2 March.
 */
export function parseTime(text: string): number | null {
  const match = TIME.exec(text);
  if (!match) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] =
    match;
  const ms = Number(fraction.padEnd(3, '0').slice(0, 3));
  const local = Date.UTC(+year!, +month! - 1, +day!, +hour, +minute, +second, ms);
  const back = new Date(local);
  // Date.UTC reads the years 0 to 99 as 1900 to 1999; this comparison rejects them too.
  const sameDay =
    back.getUTCFullYear() === +year! &&
    back.getUTCMonth() === +month! - 1 &&
    back.getUTCDate() === +day!;
  if (!sameDay || +hour > 23 || +minute > 59 || +second > 59) return null;
  const offset = offsetMs(zone);
  if (offset === null) return null;
  const time = local - offset;
  return time >= FIRST_TIME && time <= LAST_TIME ? time : null;
}

function offsetMs(zone: string): number | null {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
