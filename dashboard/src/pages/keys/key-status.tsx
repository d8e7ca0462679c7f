import { type KeyState, keyState } from '@keyward/rules/key-state.ts';
import type { AccessKey, ApiKey } from 'keyward';
import { StatusDot } from '../../components/display/status-dot.tsx';
import { useNow } from '../../hooks/use-now.ts';

const STYLES = {
  active: { tone: 'good', text: 'Active' },
  notStarted: { tone: 'warn', text: 'Not started' },
  expiring: { tone: 'warn', text: 'Expiring' },
  expired: { tone: 'bad', text: 'Expired' },
  revoked: { tone: 'neutral', text: 'Revoked' },
} as const satisfies Record<KeyState, unknown>;

/** Of a key or an access key. */
export function KeyStatus({ apiKey }: { readonly apiKey: ApiKey | AccessKey }) {
  const { tone, text } = STYLES[keyState(apiKey, useNow())];
  return <StatusDot tone={tone}>{text}</StatusDot>;
}
