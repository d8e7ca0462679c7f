import { KeywardError } from '../errors.ts';
import { readTime } from './read-time.ts';

/** Parses the expiry in a body. It must be later than `notBefore`, unless that is null. */
export function readExpiry(text: string, notBefore: number | null, name = 'expiry'): number {
  const time = readTime(name, text);
  if (notBefore !== null && time <= notBefore)
    throw new KeywardError('invalid_body', `${name} must be in the future.`);
  return time;
}

/** A rotated key works until the end of its grace period, but never past its own expiry. */
export const graceEnd = (now: number, graceSeconds: number, expiresAt: number | null): number =>
  Math.min(now + graceSeconds * 1000, expiresAt ?? Number.POSITIVE_INFINITY);
