import { type SubmitEvent, useId, useState } from 'react';
import { updateAccessKey } from '../../api/access-keys.ts';
import type { AccessKey } from '../../api/records.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ActionFailure } from '../../components/feedback/notice.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Dialog, differs, UNSAVED_CHANGES } from '../../components/overlays/dialog.tsx';
import { useAction } from '../../hooks/use-action.ts';
import { type DraftErrors, draftOf, readDraft } from './access-key-draft.ts';
import { AccessKeyFields } from './access-key-fields.tsx';

interface EditAccessKeyProps {
  readonly accessKey: AccessKey;
  onClose(): void;
}

export function EditAccessKey({ accessKey, onClose }: EditAccessKeyProps) {
  const initial = draftOf(accessKey);
  const [draft, setDraft] = useState(initial);
  const [errors, setErrors] = useState<DraftErrors>({});
  const { run, busy, failure } = useAction(async (body: Parameters<typeof updateAccessKey>[1]) => {
    await updateAccessKey(accessKey.id, body);
    return true;
  });
  const form = useId();

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const { body, errors: wrong = {} } = readDraft(draft, Date.now());
    setErrors(wrong);
    if (!body) return;
    // A field shows minutes: what was not touched keeps its seconds, and asks for no more rights.
    const { expiry, scopes, ...rest } = body;
    const saved = await run({
      ...rest,
      ...(draft.scopes !== initial.scopes && { scopes }),
      ...(JSON.stringify(draft.expiry) !== JSON.stringify(initial.expiry) && { expiry }),
    });
    if (!saved) return;
    toast({ text: 'Access key saved.' });
    onClose();
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={differs(draft, initial) ? UNSAVED_CHANGES : null}
      size="md"
      closesOnBackdrop={false}
      title="Edit access key"
      description="Changes take effect immediately."
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
        <AccessKeyFields draft={draft} errors={errors} onChange={setDraft} />
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </form>
    </Dialog>
  );
}
