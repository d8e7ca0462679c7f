import { KeywardError } from '../errors.ts';
import { parseTime } from './clock.ts';

/** Parses the time in a field of a body. */
export const readTime = (field: string, text: string): number =>
  parsed('invalid_body', field, text);

/** Parses the time in a query parameter; null if it was not sent. */
export const readQueryTime = (name: string, text: string | undefined): number | null =>
  text === undefined ? null : parsed('invalid_query', name, text);

function parsed(code: 'invalid_body' | 'invalid_query', name: string, text: string): number {
  const time = parseTime(text);
  if (time !== null) return time;
  throw new KeywardError(
    code,
    `${name} must be an ISO 8601 date-time, a date, or YYYY-MM-DD HH:mm:ss.`,
  );
}
