import type { ApiKey } from '../../api/records.ts';
import { DAY } from '../../text/times.ts';

export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked';

/** How long before its end a key is said to be expiring. */
export const EXPIRING_MS = 14 * DAY;

/** What a validation would find now. */
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

/** A key that was rotated has a successor already: that one is rotated next. */
export const isRotatable = ({ rotatedTo }: ApiKey, state: KeyState): boolean =>
  (state === 'active' || state === 'expiring') && rotatedTo === null;
