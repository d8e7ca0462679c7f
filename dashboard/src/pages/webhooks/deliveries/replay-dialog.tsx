import type { Webhook } from 'keyward';
import { useState } from 'react';
import { startReplay } from '../../../api/webhooks.ts';
import { Notice } from '../../../components/feedback/notice.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { TextField } from '../../../components/forms/field.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { counted } from '../../../text/numbers.ts';
import { momentOf, timeOf } from '../../../text/time/expiry.ts';
import { timeZone } from '../../../text/time/time-zone.ts';
import { DAY } from '../../../text/time/times.ts';

interface ReplayDialogProps {
  readonly webhook: Webhook;
  onClose(): void;
}

export function ReplayDialog({ webhook, onClose }: ReplayDialogProps) {
  const [since, setSince] = useState(() => momentOf(Date.now() - DAY));
  const [until, setUntil] = useState('');
  const [error, setError] = useState<string | null>(null);
  const { run, busy, failure } = useAction(startReplay);

  async function submit() {
    const from = timeOf(since);
    const to = until === '' ? null : timeOf(until);
    const isWrong = Number.isNaN(from) || (to !== null && !(to >= from));
    setError(isWrong ? 'Choose a start time and an end time that is not earlier.' : null);
    if (isWrong) return;
    const replay = await run(webhook.id, {
      since: new Date(from).toISOString(),
      ...(to !== null && { until: new Date(to).toISOString() }),
    });
    if (!replay) return;
    toast({ text: `Replaying ${counted(replay.total, 'event')}.` });
    onClose();
  }

  return (
    <FormDialog
      onClose={onClose}
      size="md"
      title="Replay events"
      description="Resends past events of the types that this webhook receives. Each event keeps its webhook-id, so endpoints that remember IDs can skip duplicates. Key values are masked."
      input={{ since, until }}
      action="Replay"
      busy={busy}
      failure={failure}
      onSubmit={submit}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="From"
          type="datetime-local"
          value={since}
          onChange={setSince}
          hint={`Time zone: ${timeZone()}`}
          error={error}
        />
        <TextField
          label="To"
          optional
          type="datetime-local"
          value={until}
          onChange={setUntil}
          hint="Leave empty to replay up to the current time."
        />
      </div>
      {webhook.status !== 'live' && (
        <Notice tone="warn">This webhook is not active. Resume it before you replay events.</Notice>
      )}
    </FormDialog>
  );
}
