export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked' | 'notStarted';

/** A key is expiring this long before its expiry. */
export const EXPIRING_MS = 14 * 86_400_000;

interface KeyTimes {
  readonly isActive: boolean;
  /** Access keys have none. */
  readonly startsAt?: string | null;
  readonly expiresAt: string | null;
}

/** The state of a key or access key, as the dashboard and the portal show it. */
export function keyState(
  { isActive, startsAt = null, expiresAt }: KeyTimes,
  now: number,
): KeyState {
  if (!isActive) return 'revoked';
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now;
  if (left <= 0) return 'expired';
  if (startsAt !== null && Date.parse(startsAt) > now) return 'notStarted';
  return left <= EXPIRING_MS ? 'expiring' : 'active';
}

/** The key can be used now or later. */
export const isCurrent = (state: KeyState): boolean => state !== 'expired' && state !== 'revoked';

/** A key that was rotated has a new key, which is the one to rotate next. */
export const isRotatable = (
  { rotatedTo }: { readonly rotatedTo: string | null },
  state: KeyState,
): boolean => isCurrent(state) && rotatedTo === null;
