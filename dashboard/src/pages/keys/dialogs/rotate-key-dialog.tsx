import type { ApiKey } from 'keyward';
import { rotateApiKey } from '../../../api/api-keys.ts';
import { RotateDialog } from '../../../components/overlays/rotate-dialog.tsx';
import { exactTime } from '../../../text/time/times.ts';
import { NewValue } from './new-value.tsx';

interface RotateKeyDialogProps {
  readonly apiKey: ApiKey;
  onClose(): void;
}

export const RotateKeyDialog = ({ apiKey, onClose }: RotateKeyDialogProps) => (
  <RotateDialog
    keyId={apiKey.id}
    title={`Rotate “${apiKey.name}”`}
    description="Creates a new key with a new value and the same settings. Both keys share one rate limit."
    graceLabel="Old key stops working"
    graceHint={(graceSeconds) => endText(apiKey, graceSeconds, Date.now())}
    rotate={(graceSeconds, idempotencyKey) =>
      rotateApiKey(apiKey.id, { graceSeconds }, idempotencyKey)
    }
    newValue={(created) => <NewValue title="Key rotated" apiKey={created} onClose={onClose} />}
    onClose={onClose}
  />
);

function endText({ expiresAt }: ApiKey, graceSeconds: number, now: number): string {
  if (graceSeconds === 0)
    return 'Anyone still using the old key is refused immediately. You can reactivate it.';
  const end = now + graceSeconds * 1000;
  const own = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
  return own < end
    ? `It already expires before that, on ${exactTime(own)}.`
    : `Both keys work until ${exactTime(end)}.`;
}
