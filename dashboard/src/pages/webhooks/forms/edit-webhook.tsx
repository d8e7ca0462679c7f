import type { Webhook } from 'keyward';
import { useState } from 'react';
import { fetchWebhook, updateWebhook } from '../../../api/webhooks.ts';
import { useProject } from '../../../app/current.ts';
import { toast } from '../../../components/feedback/toasts.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
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

  async function submit() {
    const found = errorsIn(draft);
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    if (!(await edit.run(bodyOf(draft, webhook.projectId ?? project.id)))) return;
    toast({ text: 'Webhook saved.' });
    onClose();
  }

  return (
    <FormDialog
      onClose={onClose}
      size="md"
      title="Edit webhook"
      description="Queued deliveries are sent to the new URL too."
      input={draft}
      action="Save"
      busy={edit.busy}
      failure={edit.failure}
      conflicts={edit.conflicts}
      onSubmit={submit}
    >
      <WebhookFields draft={draft} errors={errors} webhookId={webhook.id} onChange={setDraft} />
    </FormDialog>
  );
}
