import type { PortalApiKey } from '../client/records.ts';

export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked' | 'notStarted';

/** A key is expiring this long before its expiry. */
const EXPIRING_MS = 14 * 86_400_000;

export function keyState(
  { isActive, startsAt, expiresAt }: Pick<PortalApiKey, 'isActive' | 'startsAt' | 'expiresAt'>,
  now: number,
): KeyState {
  if (!isActive) return 'revoked';
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now;
  if (left <= 0) return 'expired';
  if (startsAt !== null && Date.parse(startsAt) > now) return 'notStarted';
  return left <= EXPIRING_MS ? 'expiring' : 'active';
}

/** Keys that can be used now or later; the others are listed separately. */
export const isCurrent = (state: KeyState): boolean => state !== 'expired' && state !== 'revoked';
