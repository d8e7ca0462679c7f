import type { ApiKey } from 'keyward';
import { useState } from 'react';
import { fetchApiKey, updateApiKey } from '../../../api/api-keys.ts';
import { usePlanName } from '../../../api/plans.ts';
import { toast } from '../../../components/feedback/toasts.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { useDraft } from '../../../hooks/use-draft.ts';
import { useEdit } from '../../../hooks/use-edit.ts';
import { withoutRemaining } from '../../../text/limits/credits.ts';
import { draftOf, keyRules } from './key-draft.ts';
import { KeyFields } from './key-fields.tsx';

interface EditKeyDialogProps {
  readonly apiKey: ApiKey;
  onClose(): void;
}

export function EditKeyDialog({ apiKey, onClose }: EditKeyDialogProps) {
  const edit = useEdit(withoutRemaining(apiKey), {
    planName: usePlanName(apiKey.projectId),
    read: async () => withoutRemaining(await fetchApiKey(apiKey.id)),
    save: ({ expiresAt, ...changes }, { name, updatedAt }) =>
      updateApiKey(
        apiKey.id,
        { name, ...changes, ...(expiresAt !== undefined && { expiry: expiresAt }) },
        updatedAt,
      ),
  });
  const [before] = useState(() => draftOf(apiKey));
  const [openedAt] = useState(Date.now);
  const { draft, errors, failure, check, onChange } = useDraft(before, edit, keyRules(openedAt));

  async function submit() {
    const checked = check();
    if (!checked.ok) return;
    const { expiry, ...fields } = checked.body;
    const saved = await edit.run({ ...fields, ...(expiry !== undefined && { expiresAt: expiry }) });
    if (!saved) return;
    onClose();
    toast({ text: 'Key saved. Changes take effect immediately.' });
  }

  return (
    <FormDialog
      onClose={onClose}
      size="md"
      title="Edit key"
      description="This does not change the key’s value. To replace the value, rotate the key."
      input={draft}
      action="Save"
      busy={edit.busy}
      failure={failure}
      conflicts={edit.conflicts}
      onSubmit={submit}
    >
      <KeyFields {...{ draft, errors, onChange }} initial={before} />
    </FormDialog>
  );
}
