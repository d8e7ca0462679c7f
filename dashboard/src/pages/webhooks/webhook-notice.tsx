import type { Webhook } from '../../api/records.ts';
import { useMay } from '../../app/permissions.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { type Act, resume } from './webhook-actions.tsx';

interface WebhookNoticeProps {
  readonly webhook: Webhook;
  onAct(act: Act): void;
}

/** Why nothing is sent, and what to do about it. */
export function WebhookNotice({ webhook, onAct }: WebhookNoticeProps) {
  const mayWrite = useMay('webhooks:write');
  const again = mayWrite && (
    <Button size="sm" onClick={() => resume(webhook)}>
      Resume
    </Button>
  );
  if (webhook.status === 'paused')
    return (
      <Notice tone="warn" title="Paused: nothing is sent" action={again}>
        What was waiting goes out when you resume it. What happens meanwhile is not queued; replay
        that time afterwards.
      </Notice>
    );
  if (webhook.status !== 'disabled') return null;
  return (
    <Notice
      tone="bad"
      title={`Disabled by Keyward: ${webhook.disabledReason ?? 'it failed for too long'}`}
    >
      <p>
        Nothing is sent any more, so that a lost endpoint is not called for ever. What was waiting
        is held.
      </p>
      <ol className="my-2 list-decimal pl-5">
        <li>Mend the endpoint, or change the address.</li>
        <li>Send it a test.</li>
        <li>Resume the webhook: what was held goes out at once.</li>
        <li>Replay the time in which it was disabled.</li>
      </ol>
      {mayWrite && (
        <span className="flex flex-wrap gap-2">
          <Button size="sm" onClick={() => onAct('edit')}>
            Change and test
          </Button>
          {again}
        </span>
      )}
    </Notice>
  );
}
