import { useState } from 'react';
import { fetchApiKey, updateApiKey } from '../../../api/api-keys.ts';
import { usePlanName } from '../../../api/plans.ts';
import type { ApiKey } from '../../../api/records.ts';
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
import { useDraft } from '../../../hooks/use-draft.ts';
import { useEdit } from '../../../hooks/use-edit.ts';
import { withoutRemaining } from '../../../text/limits/credits.ts';
import { draftOf, keyRules } from './key-draft.ts';
import { KeyForm } from './key-form.tsx';

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
  const { form, draft, errors, failure, ...state } = useDraft(before, edit, keyRules(openedAt));

  async function submit() {
    const checked = state.check();
    if (!checked.ok || edit.busy) return;
    const { expiry, ...fields } = checked.body;
    const saved = await edit.run({ ...fields, ...(expiry !== undefined && { expiresAt: expiry }) });
    if (saved === undefined) return state.focusFirstError();
    if (!saved) return;
    onClose();
    toast({ text: 'Key saved. Changes take effect immediately.' });
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={differs(draft, before) ? UNSAVED_CHANGES : null}
      closesOnBackdrop={false}
      size="md"
      title="Edit key"
      description="This does not change the key’s value. To replace the value, rotate the key."
      footer={
        <>
          <CancelButton />
          <Button kind="solid" type="submit" form={form} busy={edit.busy}>
            {edit.conflicts.length > 0 ? 'Save anyway' : 'Save'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <KeyForm
          id={form}
          draft={draft}
          initial={before}
          errors={errors}
          onChange={state.onChange}
          onSubmit={() => void submit()}
        />
        <EditConflicts conflicts={edit.conflicts} />
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </div>
    </Dialog>
  );
}
