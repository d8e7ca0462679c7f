import type { Webhook } from '../../../api/records.ts';
import { updateWebhook } from '../../../api/webhooks.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { TOPICS } from '../topics.ts';
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
  if (webhook.status !== 'disabled')
    return hidesValues(webhook) ? <MaskedValues webhook={webhook} mayWrite={mayWrite} /> : null;
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

const hidesValues = ({ topics, setBy }: Webhook): boolean =>
  topics.some((topic) => TOPICS[topic].hasValue) && Object.values(setBy).includes(null);

interface MaskedValuesProps {
  readonly webhook: Webhook;
  readonly mayWrite: boolean;
}

function MaskedValues({ webhook, mayWrite }: MaskedValuesProps) {
  const { run, busy, failure } = useAction(() => updateWebhook(webhook.id, { takeOver: true }));
  const takeOver = mayWrite && (
    <Button size="sm" busy={busy} onClick={() => run()}>
      Take over
    </Button>
  );
  return (
    <Notice tone="warn" title="Values of new keys arrive masked" action={takeOver}>
      It is not known who set up this webhook. Check its address, headers and topics, then take it
      over: events carry the values of keys that you could create yourself.
      {failure && <p className="mt-2">{failure}</p>}
    </Notice>
  );
}
