import { parseTime } from './clock.ts';
import { KeywardError } from './errors.ts';

/** Reads `expiry` of a body; at creation it must lie ahead. */
export function readExpiry(text: string, notBefore: number | null): number {
  const time = parseTime(text);
  if (time === null)
    throw new KeywardError(
      'invalid_body',
      'expiry must be an ISO 8601 date-time, a date, or YYYY-MM-DD HH:mm:ss.',
    );
  if (notBefore !== null && time <= notBefore)
    throw new KeywardError('invalid_body', 'expiry must lie in the future.');
  return time;
}

/** A rotated key lives through its grace, but never past the expiry it already had. */
export const graceEnd = (now: number, graceSeconds: number, expiresAt: number | null): number =>
  Math.min(now + graceSeconds * 1000, expiresAt ?? Number.POSITIVE_INFINITY);
