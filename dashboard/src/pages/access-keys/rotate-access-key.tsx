import type { AccessKey } from 'keyward';
import { rotateAccessKey } from '../../api/access-keys.ts';
import { RotateDialog } from '../../components/overlays/rotate-dialog.tsx';
import { NewValue } from './new-value.tsx';

interface RotateAccessKeyProps {
  readonly accessKey: AccessKey;
  onClose(): void;
}

export const RotateAccessKey = ({ accessKey, onClose }: RotateAccessKeyProps) => (
  <RotateDialog
    keyId={accessKey.id}
    title={`Rotate ${accessKey.name}`}
    description="Creates a new access key with the same name and scopes, and ends the old one."
    graceLabel="Old access key stops working"
    graceHint={(graceSeconds) =>
      graceSeconds === 0
        ? 'Anything still using it is rejected with 401 immediately. Use this if the value has leaked.'
        : 'Both work until then, so you can replace it where it is used.'
    }
    rotate={(graceSeconds, idempotencyKey) =>
      rotateAccessKey(accessKey.id, graceSeconds, idempotencyKey)
    }
    newValue={(created) => (
      <NewValue title="Access key rotated" accessKey={created} onClose={onClose} />
    )}
    onClose={onClose}
  />
);
