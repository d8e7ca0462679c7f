import { type SubmitEvent, useId, useState } from 'react';
import type { Webhook } from '../../../api/records.ts';
import { updateWebhook } from '../../../api/webhooks.ts';
import { useProject } from '../../../app/current.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ActionFailure } from '../../../components/feedback/notice.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Dialog, differs, UNSAVED_CHANGES } from '../../../components/overlays/dialog.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { bodyOf, type DraftErrors, draftOf, errorsIn } from './webhook-draft.ts';
import { WebhookFields } from './webhook-fields.tsx';

interface EditWebhookProps {
  readonly webhook: Webhook;
  onClose(): void;
}

export function EditWebhook({ webhook, onClose }: EditWebhookProps) {
  const project = useProject();
  const [draft, setDraft] = useState(() => draftOf(webhook));
  const [errors, setErrors] = useState<DraftErrors>({});
  const { run, busy, failure } = useAction(async () => {
    await updateWebhook(webhook.id, bodyOf(draft, webhook.projectId ?? project.id));
    return true;
  });
  const form = useId();

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const wrong = errorsIn(draft);
    setErrors(wrong);
    if (Object.keys(wrong).length > 0 || !(await run())) return;
    toast({ text: 'Webhook saved.' });
    onClose();
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={differs(draft, draftOf(webhook)) ? UNSAVED_CHANGES : null}
      size="md"
      closesOnBackdrop={false}
      title="Edit webhook"
      description="Queued deliveries are sent to the new URL too."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="solid" type="submit" form={form} busy={busy}>
            Save
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
        <WebhookFields draft={draft} errors={errors} webhookId={webhook.id} onChange={setDraft} />
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </form>
    </Dialog>
  );
}
