import { type SubmitEvent, useId, useState } from 'react';
import type { Webhook } from '../../../api/records.ts';
import { fetchWebhook, updateWebhook } from '../../../api/webhooks.ts';
import { useProject } from '../../../app/current.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ActionFailure } from '../../../components/feedback/notice.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { EditConflicts } from '../../../components/forms/edit-conflicts.tsx';
import {
  CancelButton,
  Dialog,
  differs,
  UNSAVED_CHANGES,
} from '../../../components/overlays/dialog.tsx';
import { useEdit } from '../../../hooks/use-edit.ts';
import { bodyOf, type DraftErrors, draftOf, errorsIn } from './webhook-draft.ts';
import { WebhookFields } from './webhook-fields.tsx';

interface EditWebhookProps {
  readonly webhook: Webhook;
  onClose(): void;
}

export function EditWebhook({ webhook, onClose }: EditWebhookProps) {
  const project = useProject();
  const edit = useEdit(webhook, {
    read: () => fetchWebhook(webhook.id),
    save: ({ status: _, ...changes }, { updatedAt }) =>
      updateWebhook(webhook.id, changes, { ifUpdatedAt: updatedAt }),
  });
  const [initial] = useState(() => draftOf(webhook));
  const [draft, setDraft] = useState(initial);
  const [errors, setErrors] = useState<DraftErrors>({});
  const form = useId();

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const found = errorsIn(draft);
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    if (!(await edit.run(bodyOf(draft, webhook.projectId ?? project.id)))) return;
    toast({ text: 'Webhook saved.' });
    onClose();
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={differs(draft, initial) ? UNSAVED_CHANGES : null}
      size="md"
      closesOnBackdrop={false}
      title="Edit webhook"
      description="Queued deliveries are sent to the new URL too."
      footer={
        <>
          <CancelButton />
          <Button kind="solid" type="submit" form={form} busy={edit.busy}>
            {edit.conflicts.length > 0 ? 'Save anyway' : 'Save'}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
        <WebhookFields draft={draft} errors={errors} webhookId={webhook.id} onChange={setDraft} />
        <EditConflicts conflicts={edit.conflicts} />
        {edit.failure && <ActionFailure>{edit.failure}</ActionFailure>}
      </form>
    </Dialog>
  );
}
