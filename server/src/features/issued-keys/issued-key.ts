import { KeywardError } from '../../kernel/errors.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { maskValue } from '../../kernel/secrets/key-values.ts';
import { graceEnd } from '../../kernel/time/expiry.ts';
import type { Flag } from '../../storage/schema/columns.ts';

// API keys and access keys are issued, rotated, revoked and expire in the same way. These functions return
// columns. The services write them, with the audit rows and events of their resource.

/** The columns of a key that say which value it has, whether it is valid, and what it replaces. */
export interface IssuedKey {
  readonly id: string;
  readonly hash: string;
  readonly mask: string;
  readonly is_active: Flag;
  readonly expires_at: number | null;
  readonly rotated_from: string | null;
  readonly rotated_to: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What is kept of a value. The value itself is never stored. */
export const storedValue = (secrets: Secrets, value: string) => ({
  hash: secrets.hashValue(value),
  mask: maskValue(value),
});

interface NewKey {
  readonly id: string;
  readonly value: string;
  readonly expiresAt: number | null;
}

/** The columns of a new key. For the successor of a key, `expiresAt` is what `successorExpiry` read. */
export const issue = (
  secrets: Secrets,
  { id, value, expiresAt }: NewKey,
  now: number,
): IssuedKey => ({
  id,
  ...storedValue(secrets, value),
  is_active: 1,
  expires_at: expiresAt,
  rotated_from: null,
  rotated_to: null,
  created_at: now,
  updated_at: now,
});

/**
 * The row of the key that replaces `old`, and the columns that change in `old`. Without a grace period, the old
 * key is revoked.
 */
export function rotate<Row extends IssuedKey>(
  old: Row,
  issued: IssuedKey,
  graceSeconds: number,
  now: number,
) {
  const end =
    graceSeconds === 0
      ? { is_active: 0 as const }
      : { expires_at: graceEnd(now, graceSeconds, old.expires_at) };
  return {
    row: { ...old, ...issued, rotated_from: old.id },
    retired: { ...end, rotated_to: issued.id, updated_at: now },
  };
}

/** The columns that revoke or reactivate a key; null if it is revoked or active already. */
export const activeColumns = (key: Pick<IssuedKey, 'is_active'>, active: Flag) =>
  key.is_active === active ? null : { is_active: active };

/** Throws if the key is revoked or has expired, with these texts. */
export function requireUsable(
  { is_active, expires_at }: Pick<IssuedKey, 'is_active' | 'expires_at'>,
  now: number,
  texts: { readonly revoked?: string; readonly expired: string },
): void {
  if (is_active === 0) throw new KeywardError('key_inactive', texts.revoked);
  if (expires_at !== null && expires_at <= now)
    throw new KeywardError('key_inactive', texts.expired);
}
