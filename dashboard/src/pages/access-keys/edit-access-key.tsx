import type { AccessKey } from 'keyward';
import { useState } from 'react';
import { fetchAccessKey, updateAccessKey } from '../../api/access-keys.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { hasChanged } from '../../hooks/use-draft.ts';
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

  async function submit() {
    const { body, errors: found = {} } = readDraft(draft, Date.now());
    setErrors(found);
    if (!body) return;
    const { expiry, ...fields } = body;
    // The field has no seconds: sending an expiry that was not edited would change it.
    const isNewExpiry = hasChanged(draft, initial, 'expiry');
    if (!(await edit.run({ ...fields, ...(isNewExpiry && { expiresAt: expiry }) }))) return;
    toast({ text: 'Access key saved.' });
    onClose();
  }

  return (
    <FormDialog
      onClose={onClose}
      size="md"
      title="Edit access key"
      description="Changes take effect immediately."
      input={draft}
      action="Save"
      busy={edit.busy}
      failure={edit.failure}
      conflicts={edit.conflicts}
      onSubmit={submit}
    >
      <AccessKeyFields draft={draft} errors={errors} onChange={setDraft} />
    </FormDialog>
  );
}
