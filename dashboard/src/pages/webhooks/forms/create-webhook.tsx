import { useState } from 'react';
import { createWebhook } from '../../../api/webhooks.ts';
import { useProject } from '../../../app/current.ts';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { useCreation } from '../../../hooks/use-action.ts';
import { NewSecret } from './new-secret.tsx';
import { bodyOf, type DraftErrors, emptyDraft, errorsIn } from './webhook-draft.ts';
import { WebhookFields } from './webhook-fields.tsx';

export function CreateWebhook({ onClose }: { readonly onClose: () => void }) {
  const project = useProject();
  const [draft, setDraft] = useState(emptyDraft);
  const [errors, setErrors] = useState<DraftErrors>({});
  // The secret is kept only here, until the dialog closes.
  const [secret, setSecret] = useState<string | null>(null);
  const { run, busy, failure } = useCreation(createWebhook);
  if (secret !== null)
    return <NewSecret title="Webhook created" name={draft.name} {...{ secret, onClose }} />;

  async function submit() {
    const found = errorsIn(draft);
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    const created = await run(bodyOf(draft, project.id));
    if (created) setSecret(created.secret);
  }

  return (
    <FormDialog
      onClose={onClose}
      size="md"
      title="Create webhook"
      description="Keyward sends a signed message to your endpoint when the selected events happen."
      input={draft}
      action="Create webhook"
      busy={busy}
      failure={failure}
      onSubmit={submit}
    >
      <WebhookFields draft={draft} errors={errors} onChange={setDraft} />
    </FormDialog>
  );
}
