import type { ApiKey } from 'keyward';
import {
  reactivateApiKey,
  reactivateApiKeys,
  revokeApiKey,
  revokeApiKeys,
} from '../../../api/api-keys.ts';
import { toast, toastFailure } from '../../../components/feedback/toasts.tsx';
import { Confirm } from '../../../components/overlays/confirm.tsx';
import { explain } from '../../../text/explain.ts';
import { counted } from '../../../text/numbers.ts';

interface RevokeKeysProps {
  readonly keys: readonly ApiKey[];
  onClose(): void;
  onDone?(): void;
}

/** Revokes one key or several, with Undo in the toast. */
export function RevokeKeys({ keys, onClose, onDone }: RevokeKeysProps) {
  const [only] = keys;
  const isOne = keys.length === 1 && only !== undefined;
  const what = isOne ? `“${only.name}”` : counted(keys.length, 'key');
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Revoke ${what}?`}
      consequences={`Requests with ${isOne ? 'this key' : 'these keys'} are refused within a second. You can reactivate ${isOne ? 'it later, with the same value' : 'them later, with the same values'}.`}
      action={isOne ? 'Revoke key' : `Revoke ${counted(keys.length, 'key')}`}
      danger
      onConfirm={async () => {
        await (isOne ? revokeOne(only) : revokeMany(keys.map(({ id }) => id)));
        onDone?.();
      }}
    />
  );
}

/** Reactivates one key or several, after a confirmation: their values work again immediately. */
export function ReactivateKeys({ keys, onClose, onDone }: RevokeKeysProps) {
  const [only] = keys;
  const isOne = keys.length === 1 && only !== undefined;
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Reactivate ${isOne ? `“${only.name}”` : counted(keys.length, 'key')}?`}
      consequences={`Requests with ${isOne ? 'this key' : 'these keys'} are accepted again immediately, with the same ${isOne ? 'value' : 'values'}.`}
      action={isOne ? 'Reactivate key' : `Reactivate ${counted(keys.length, 'key')}`}
      onConfirm={async () => {
        await (isOne ? reactivateOne(only) : reactivateMany(keys.map(({ id }) => id)));
        onDone?.();
      }}
    />
  );
}

async function revokeOne(key: ApiKey) {
  await revokeApiKey(key.id);
  toast({
    text: `“${key.name}” was revoked.`,
    action: { label: 'Undo', run: () => void reactivateOne(key) },
  });
}

async function reactivateOne(key: ApiKey) {
  try {
    await reactivateApiKey(key.id);
    toast({ text: `“${key.name}” was reactivated.` });
  } catch (error) {
    toastFailure(error);
  }
}

async function revokeMany(ids: readonly string[]) {
  const failures = await revokeApiKeys(ids);
  toastBulk(ids.length, failures, 'revoked', () => void reactivateMany(ids));
}

async function reactivateMany(ids: readonly string[]) {
  const failures = await reactivateApiKeys(ids);
  toastBulk(ids.length, failures, 'reactivated');
}

export function toastBulk(
  all: number,
  failures: readonly unknown[],
  how: string,
  undo?: () => void,
) {
  const done = all - failures.length;
  if (done > 0)
    toast({
      text: `${counted(done, 'key')} ${done === 1 ? 'was' : 'were'} ${how}.`,
      ...(undo && { action: { label: 'Undo', run: undo } }),
    });
  if (failures.length > 0)
    toast({
      text: `${counted(failures.length, 'key')} could not be changed. ${explain(failures[0])}`,
      tone: 'bad',
    });
}
