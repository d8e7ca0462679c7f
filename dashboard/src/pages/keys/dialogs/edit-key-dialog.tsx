import { useId, useState } from 'react';
import { updateApiKey } from '../../../api/api-keys.ts';
import type { ApiKey } from '../../../api/records.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { checkDraft, type DraftErrors, draftOf } from './key-draft.ts';
import { KeyForm } from './key-form.tsx';

interface EditKeyDialogProps {
  readonly apiKey: ApiKey;
  onClose(): void;
}

export function EditKeyDialog({ apiKey, onClose }: EditKeyDialogProps) {
  const form = useId();
  // As it was when the dialog opened: what is asked for again meanwhile does not undo one's typing.
  const [before] = useState(() => draftOf(apiKey));
  const [draft, setDraft] = useState(before);
  const [errors, setErrors] = useState<DraftErrors>({});
  const { run, busy, failure } = useAction(updateApiKey);

  async function submit() {
    const checked = checkDraft(draft, before, Date.now());
    setErrors(checked.ok ? {} : checked.errors);
    if (!checked.ok || busy) return;
    if (!(await run(apiKey.id, checked.body))) return;
    onClose();
    toast({ text: 'Saved. The next validation follows it.' });
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closesOnBackdrop={false}
      size="md"
      title="Edit key"
      description="The value stays as it is. To change it, rotate the key."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="solid" type="submit" form={form} busy={busy}>
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <KeyForm
          id={form}
          draft={draft}
          errors={errors}
          onChange={setDraft}
          onSubmit={() => void submit()}
        />
        {failure && <Notice tone="bad">{failure}</Notice>}
      </div>
    </Dialog>
  );
}
