import { type SubmitEvent, useId, useState } from 'react';
import { createWebhook } from '../../../api/webhooks.ts';
import { useProject } from '../../../app/current.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ActionFailure } from '../../../components/feedback/notice.tsx';
import {
  CancelButton,
  Dialog,
  differs,
  UNSAVED_CHANGES,
} from '../../../components/overlays/dialog.tsx';
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
  const form = useId();
  if (secret !== null)
    return <NewSecret title="Webhook created" name={draft.name} {...{ secret, onClose }} />;

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const found = errorsIn(draft);
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    const created = await run(bodyOf(draft, project.id));
    if (created) setSecret(created.secret);
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={differs(draft, emptyDraft) ? UNSAVED_CHANGES : null}
      size="md"
      closesOnBackdrop={false}
      title="Create webhook"
      description="Keyward sends a signed message to your endpoint when the selected events happen."
      footer={
        <>
          <CancelButton />
          <Button kind="solid" type="submit" form={form} busy={busy}>
            Create webhook
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
        <WebhookFields draft={draft} errors={errors} onChange={setDraft} />
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </form>
    </Dialog>
  );
}
