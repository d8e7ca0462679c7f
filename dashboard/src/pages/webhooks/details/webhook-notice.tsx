import type { Webhook } from 'keyward';
import { updateWebhook } from '../../../api/webhooks.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { hasValue } from '../topics.ts';
import { type Act, resume } from './webhook-actions.tsx';

interface WebhookNoticeProps {
  readonly webhook: Webhook;
  onAct(act: Act): void;
}

/** Why nothing is sent, and what to do about it. */
export function WebhookNotice({ webhook, onAct }: WebhookNoticeProps) {
  const mayWrite = useMay('webhooks:write');
  const resumeButton = mayWrite && (
    <Button size="sm" onClick={() => resume(webhook)}>
      Resume
    </Button>
  );
  if (webhook.status === 'paused')
    return (
      <Notice tone="warn" title="This webhook is paused" action={resumeButton}>
        Queued deliveries are sent when you resume it. Events that happen while it is paused are not
        queued, but you can replay them.
      </Notice>
    );
  if (webhook.status !== 'disabled')
    return hidesValues(webhook) ? <MaskedValues webhook={webhook} mayWrite={mayWrite} /> : null;
  return (
    <Notice
      tone="bad"
      title={`Disabled by Keyward: ${webhook.disabledReason ?? 'its endpoint failed'}`}
    >
      <p>Keyward no longer sends events to this endpoint. Queued deliveries are on hold.</p>
      <ol className="my-2 list-decimal pl-5">
        <li>Fix the endpoint, or change its URL.</li>
        <li>Send a test.</li>
        <li>Resume the webhook. Deliveries on hold are sent immediately.</li>
        <li>Replay the events that it missed.</li>
      </ol>
      {mayWrite && (
        <span className="flex flex-wrap gap-2">
          <Button size="sm" onClick={() => onAct('edit')}>
            Edit and test
          </Button>
          {resumeButton}
        </span>
      )}
    </Notice>
  );
}

const hidesValues = ({ topics, setBy }: Webhook): boolean =>
  topics.some(hasValue) && Object.values(setBy).includes(null);

interface MaskedValuesProps {
  readonly webhook: Webhook;
  readonly mayWrite: boolean;
}

function MaskedValues({ webhook, mayWrite }: MaskedValuesProps) {
  const { run, busy, failure } = useAction(() => updateWebhook(webhook.id, { takeOver: true }));
  const takeOver = mayWrite && (
    <Button size="sm" busy={busy} onClick={() => run()}>
      Take ownership
    </Button>
  );
  return (
    <Notice tone="warn" title="Key values are masked" action={takeOver}>
      It is not known who configured this webhook, so key values are masked. Check its URL, headers
      and events, then take ownership: events then include the values of keys that you have
      permission to create.
      {failure && <p className="mt-2">{failure}</p>}
    </Notice>
  );
}
