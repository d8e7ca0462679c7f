import { useState } from 'react';
import { rotateApiKey } from '../../../api/api-keys.ts';
import type { ApiKey } from '../../../api/records.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ActionFailure } from '../../../components/feedback/notice.tsx';
import { Select } from '../../../components/forms/select.tsx';
import { CancelButton, Dialog } from '../../../components/overlays/dialog.tsx';
import { useCreation } from '../../../hooks/use-action.ts';
import { exactTime } from '../../../text/time/times.ts';
import { NewValue } from './new-value.tsx';

interface RotateKeyDialogProps {
  readonly apiKey: ApiKey;
  onClose(): void;
}

const GRACES = [
  { value: '0', label: 'Immediately' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 1 day' },
  { value: '604800', label: 'In 7 days' },
  { value: '2592000', label: 'In 30 days' },
] as const;

export function RotateKeyDialog({ apiKey, onClose }: RotateKeyDialogProps) {
  const [grace, setGrace] = useState<(typeof GRACES)[number]['value']>('86400');
  const [created, setCreated] = useState<ApiKey | null>(null);
  const { run, busy, failure } = useCreation(rotateApiKey);

  async function rotate() {
    const result = await run(apiKey.id, { graceSeconds: Number(grace) });
    if (result) setCreated(result);
  }

  if (created) return <NewValue title="Key rotated" apiKey={created} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Rotate “${apiKey.name}”`}
      description="Creates a new key with a new value and the same settings. Both keys share one rate limit."
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
          label="Old key stops working"
          value={grace}
          options={GRACES}
          onChange={setGrace}
          hint={endText(apiKey, Number(grace), Date.now())}
        />
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </div>
    </Dialog>
  );
}

function endText({ expiresAt }: ApiKey, graceSeconds: number, now: number): string {
  if (graceSeconds === 0)
    return 'Anyone still using the old key is refused immediately. You can reactivate it.';
  const end = now + graceSeconds * 1000;
  const own = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
  return own < end
    ? `It already expires before that, on ${exactTime(own)}.`
    : `Both keys work until ${exactTime(end)}.`;
}
