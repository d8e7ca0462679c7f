import type { ApiKey } from '../../api/records.ts';
import { StatusDot } from '../../components/display/status-dot.tsx';
import { useNow } from '../../hooks/use-now.ts';
import { type KeyState, stateOf } from './key-state.ts';

const STYLES = {
  active: { tone: 'good', text: 'Active' },
  expiring: { tone: 'warn', text: 'Expiring' },
  expired: { tone: 'bad', text: 'Expired' },
  revoked: { tone: 'neutral', text: 'Revoked' },
} as const satisfies Record<KeyState, unknown>;

export function KeyStatus({ apiKey }: { readonly apiKey: ApiKey }) {
  const { tone, text } = STYLES[stateOf(apiKey, useNow())];
  return <StatusDot tone={tone}>{text}</StatusDot>;
}
