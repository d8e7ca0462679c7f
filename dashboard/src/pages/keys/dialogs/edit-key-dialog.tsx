import { useState } from 'react';
import { fetchApiKey, updateApiKey } from '../../../api/api-keys.ts';
import type { ApiKey } from '../../../api/records.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ActionFailure } from '../../../components/feedback/notice.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Dialog, differs, UNSAVED_CHANGES } from '../../../components/overlays/dialog.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { type Change, conflictsOf } from '../details/key-changes.ts';
import { draftOf, type KeyBody } from './key-draft.ts';
import { KeyForm } from './key-form.tsx';
import { useKeyDraft } from './use-key-draft.ts';

interface EditKeyDialogProps {
  readonly apiKey: ApiKey;
  onClose(): void;
}

export function EditKeyDialog({ apiKey, onClose }: EditKeyDialogProps) {
  // As it was when the dialog opened: what is asked for again meanwhile does not undo one's typing.
  const [opened] = useState(apiKey);
  const [before] = useState(() => draftOf(apiKey));
  const [conflicts, setConflicts] = useState<readonly Change[]>([]);
  const update = useAction(async (body: KeyBody) => {
    const current = await fetchApiKey(apiKey.id);
    const clashes = conflicts.length > 0 ? [] : conflictsOf(opened, current, body);
    setConflicts(clashes);
    if (clashes.length > 0) return null;
    // The name is always sent: one that was not edited must not undo somebody else's change.
    const name = body.name === opened.name ? current.name : body.name;
    return updateApiKey(apiKey.id, { ...body, name });
  });
  const { form, draft, errors, failure, ...state } = useKeyDraft(before, update);

  async function submit() {
    const checked = state.check();
    if (!checked.ok || update.busy) return;
    const saved = await update.run(checked.body);
    if (saved === undefined) return state.focusFirstError();
    if (saved === null) return;
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
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="solid" type="submit" form={form} busy={update.busy}>
            {conflicts.length > 0 ? 'Save anyway' : 'Save'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <KeyForm
          id={form}
          draft={draft}
          errors={errors}
          onChange={state.onChange}
          onSubmit={() => void submit()}
        />
        {conflicts.length > 0 && (
          <ActionFailure>
            Someone else changed this key while you were editing it.
            <ul className="mt-1">
              {conflicts.map(({ field, before: current, after: yours }) => (
                <li key={field}>
                  {field}: now “{current}”, yours “{yours}”
                </li>
              ))}
            </ul>
          </ActionFailure>
        )}
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </div>
    </Dialog>
  );
}
