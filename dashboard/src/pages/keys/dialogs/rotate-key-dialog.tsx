import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { rotateApiKey } from '../../../api/api-keys.ts';
import type { ApiKey } from '../../../api/records.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Select } from '../../../components/forms/select.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { exactTime } from '../../../text/times.ts';
import { NewValue } from './new-value.tsx';

interface RotateKeyDialogProps {
  readonly apiKey: ApiKey;
  onClose(): void;
}

const GRACES = [
  { value: '0', label: 'At once' },
  { value: '3600', label: 'After an hour' },
  { value: '86400', label: 'After a day' },
  { value: '604800', label: 'After a week' },
  { value: '2592000', label: 'After 30 days' },
] as const;

export function RotateKeyDialog({ apiKey, onClose }: RotateKeyDialogProps) {
  const navigate = useNavigate();
  const [grace, setGrace] = useState<(typeof GRACES)[number]['value']>('86400');
  const [made, setMade] = useState<ApiKey | null>(null);
  const { run, busy, failure } = useAction(rotateApiKey);

  async function rotate() {
    const answer = await run(apiKey.id, { graceSeconds: Number(grace) });
    if (answer) setMade(answer);
  }

  if (made)
    return (
      <NewValue
        title="Key rotated"
        made={made}
        onClose={onClose}
        onOpenKey={() =>
          navigate({
            to: '/p/$projectId/keys/$keyId',
            params: { projectId: made.projectId, keyId: made.id },
          })
        }
      />
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Rotate “${apiKey.name}”`}
      description="Makes a new key with a new value and everything else the same. Both count in one rate limit."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="solid" busy={busy} onClick={rotate}>
            Rotate
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Select
          label="The old value stops working"
          value={grace}
          options={GRACES}
          onChange={setGrace}
          hint={endText(apiKey, Number(grace), Date.now())}
        />
        {failure && <Notice tone="bad">{failure}</Notice>}
      </div>
    </Dialog>
  );
}

function endText({ expiresAt }: ApiKey, graceSeconds: number, now: number): string {
  if (graceSeconds === 0)
    return 'Whoever still uses it is refused from that moment. You can reactivate it.';
  const end = now + graceSeconds * 1000;
  const own = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
  return own < end
    ? `It expires before that by itself: on ${exactTime(own)}.`
    : `Both work until ${exactTime(end)}.`;
}
