import { useState } from 'react';
import { rotateAccessKey } from '../../api/access-keys.ts';
import type { AccessKey } from '../../api/records.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ActionFailure } from '../../components/feedback/notice.tsx';
import { Select } from '../../components/forms/select.tsx';
import { CancelButton, Dialog } from '../../components/overlays/dialog.tsx';
import { useCreation } from '../../hooks/use-action.ts';
import { NewValue } from './new-value.tsx';

interface RotateAccessKeyProps {
  readonly accessKey: AccessKey;
  onClose(): void;
}

const GRACES = [
  { value: '0', label: 'Immediately' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 1 day' },
  { value: '604800', label: 'In 7 days' },
  { value: '2592000', label: 'In 30 days' },
] as const;

type Grace = (typeof GRACES)[number]['value'];

export function RotateAccessKey({ accessKey, onClose }: RotateAccessKeyProps) {
  const [grace, setGrace] = useState<Grace>('86400');
  const [created, setCreated] = useState<AccessKey | null>(null);
  const { run, busy, failure } = useCreation(rotateAccessKey);
  if (created) return <NewValue title="Access key rotated" accessKey={created} onClose={onClose} />;

  async function rotate() {
    const result = await run(accessKey.id, Number(grace));
    if (result) setCreated(result);
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={`Rotate ${accessKey.name}`}
      description="Creates a new access key with the same name and scopes, and ends the old one."
      footer={
        <>
          <CancelButton />
          <Button kind="solid" busy={busy} onClick={rotate}>
            Rotate
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Select
          label="Old access key stops working"
          value={grace}
          options={GRACES}
          onChange={setGrace}
          hint={
            grace === '0'
              ? 'Anything still using it is rejected with 401 immediately. Use this if the value has leaked.'
              : 'Both work until then, so you can replace it where it is used.'
          }
        />
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </div>
    </Dialog>
  );
}
