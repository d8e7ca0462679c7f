import { parseTime } from './clock.ts';
import { KeywardError } from './errors.ts';

/** Parses `expiry` of a body; for a new key it must be in the future. */
export function readExpiry(text: string, notBefore: number | null): number {
  const time = parseTime(text);
  if (time === null)
    throw new KeywardError(
      'invalid_body',
      'expiry must be an ISO 8601 date-time, a date, or YYYY-MM-DD HH:mm:ss.',
    );
  if (notBefore !== null && time <= notBefore)
    throw new KeywardError('invalid_body', 'expiry must be in the future.');
  return time;
}

/** A rotated key works until the end of its grace period, but never past its own expiry. */
export const graceEnd = (now: number, graceSeconds: number, expiresAt: number | null): number =>
  Math.min(now + graceSeconds * 1000, expiresAt ?? Number.POSITIVE_INFINITY);
