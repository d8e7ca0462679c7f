import { ACCESS_KEY } from '@keyward/rules/resources/access-key.ts';
import type { AccessKey } from 'keyward';
import { fetchAccessKey, updateAccessKey } from '../../api/access-keys.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { FieldControls } from '../../fields/controls.tsx';
import { useEditDraft } from '../../fields/use-field-draft.ts';
import { useEdit } from '../../hooks/use-edit.ts';
import { ACCESS_KEY_TEXTS } from './access-key-texts.ts';

interface EditAccessKeyProps {
  readonly accessKey: AccessKey;
  onClose(): void;
}

export function EditAccessKey({ accessKey, onClose }: EditAccessKeyProps) {
  const edit = useEdit(accessKey, {
    read: () => fetchAccessKey(accessKey.id),
    save: (changes, { updatedAt }) => updateAccessKey(accessKey.id, changes, updatedAt),
  });
  const { draft, form, failure, check } = useEditDraft(ACCESS_KEY, edit, accessKey);

  async function submit() {
    const checked = check();
    if (!checked.ok || !(await edit.run(checked.body))) return;
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
      failure={failure}
      conflicts={edit.conflicts}
      onSubmit={submit}
    >
      <FieldControls {...form} texts={ACCESS_KEY_TEXTS} />
    </FormDialog>
  );
}
