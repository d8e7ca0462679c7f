import type { AccessKey } from '../../api/records.ts';
import type { Tone } from '../../components/feedback/notice.tsx';
import { DAY } from '../../text/times.ts';

type State = 'active' | 'expiring' | 'expired' | 'revoked';

const SOON_MS = 7 * DAY;

export function stateOf({ isActive, expiresAt }: AccessKey, now: number): State {
  if (!isActive) return 'revoked';
  if (expiresAt === null) return 'active';
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return 'expired';
  return left <= SOON_MS ? 'expiring' : 'active';
}

export const STATES: Record<State, { readonly tone: Tone; readonly label: string }> = {
  active: { tone: 'good', label: 'Active' },
  expiring: { tone: 'warn', label: 'Expiring' },
  expired: { tone: 'bad', label: 'Expired' },
  revoked: { tone: 'neutral', label: 'Revoked' },
};
