import type { ApiKey } from '../../api/records.ts';
import { DAY } from '../../text/times.ts';

export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked';

/** A key is expiring this long before its expiry. */
export const EXPIRING_MS = 14 * DAY;

/** The state of a key at a time. */
export function stateOf(
  { isActive, expiresAt }: Pick<ApiKey, 'isActive' | 'expiresAt'>,
  now: number,
): KeyState {
  if (!isActive) return 'revoked';
  if (expiresAt === null) return 'active';
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return 'expired';
  return left <= EXPIRING_MS ? 'expiring' : 'active';
}

/** A key that was rotated has a new key, which is the one to rotate next. */
export const isRotatable = ({ rotatedTo }: ApiKey, state: KeyState): boolean =>
  (state === 'active' || state === 'expiring') && rotatedTo === null;
