import { type SubmitEvent, useId, useState } from 'react';
import { fetchAccessKey, updateAccessKey } from '../../api/access-keys.ts';
import type { AccessKey } from '../../api/records.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ActionFailure } from '../../components/feedback/notice.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { EditConflicts } from '../../components/forms/edit-conflicts.tsx';
import {
  CancelButton,
  Dialog,
  differs,
  UNSAVED_CHANGES,
} from '../../components/overlays/dialog.tsx';
import { useEdit } from '../../hooks/use-edit.ts';
import { type DraftErrors, draftOf, readDraft } from './access-key-draft.ts';
import { AccessKeyFields } from './access-key-fields.tsx';

interface EditAccessKeyProps {
  readonly accessKey: AccessKey;
  onClose(): void;
}

export function EditAccessKey({ accessKey, onClose }: EditAccessKeyProps) {
  const edit = useEdit(accessKey, {
    read: () => fetchAccessKey(accessKey.id),
    save: ({ expiresAt, ...changes }, { updatedAt }) =>
      updateAccessKey(
        accessKey.id,
        { ...changes, ...(expiresAt !== undefined && { expiry: expiresAt }) },
        updatedAt,
      ),
  });
  const [initial] = useState(() => draftOf(accessKey));
  const [draft, setDraft] = useState(initial);
  const [errors, setErrors] = useState<DraftErrors>({});
  const form = useId();

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const { body, errors: found = {} } = readDraft(draft, Date.now());
    setErrors(found);
    if (!body) return;
    const { expiry, ...fields } = body;
    // The field has no seconds: sending an expiry that was not edited would change it.
    const isNewExpiry = differs(draft.expiry, initial.expiry);
    if (!(await edit.run({ ...fields, ...(isNewExpiry && { expiresAt: expiry }) }))) return;
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
          <CancelButton />
          <Button kind="solid" type="submit" form={form} busy={edit.busy}>
            {edit.conflicts.length > 0 ? 'Save anyway' : 'Save'}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
        <AccessKeyFields draft={draft} errors={errors} onChange={setDraft} />
        <EditConflicts conflicts={edit.conflicts} />
        {edit.failure && <ActionFailure>{edit.failure}</ActionFailure>}
      </form>
    </Dialog>
  );
}
