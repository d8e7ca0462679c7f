import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import type { ApiKey } from 'keyward';
import { fetchApiKey, updateApiKey } from '../../../api/api-keys.ts';
import { usePlanName } from '../../../api/plans.ts';
import { toast } from '../../../components/feedback/toasts.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { useEditDraft } from '../../../fields/use-field-draft.ts';
import { useEdit } from '../../../hooks/use-edit.ts';
import { withoutRemaining } from '../../../text/limits/credits.ts';
import { KeyFields } from './key-fields.tsx';

interface EditKeyDialogProps {
  readonly apiKey: ApiKey;
  onClose(): void;
}

export function EditKeyDialog({ apiKey, onClose }: EditKeyDialogProps) {
  const edit = useEdit(withoutRemaining(apiKey), {
    planName: usePlanName(apiKey.projectId),
    read: async () => withoutRemaining(await fetchApiKey(apiKey.id)),
    save: (changes, { updatedAt }) => updateApiKey(apiKey.id, changes, updatedAt),
  });
  const { draft, form, failure, check } = useEditDraft(API_KEY, edit, apiKey);

  async function submit() {
    const checked = check();
    if (!checked.ok) return;
    if (!(await edit.run(checked.body))) return;
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
      <KeyFields {...form} />
    </FormDialog>
  );
}
