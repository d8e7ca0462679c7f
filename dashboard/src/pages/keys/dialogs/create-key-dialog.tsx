import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { createApiKey } from '../../../api/api-keys.ts';
import type { ApiKey } from '../../../api/records.ts';
import { useProject } from '../../../app/current.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { EnvBadge } from '../../../components/display/badge.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { useAction } from '../../../hooks/use-action.ts';
import { checkDraft, type DraftErrors, EMPTY_DRAFT } from './key-draft.ts';
import { KeyForm } from './key-form.tsx';
import { NewValue } from './new-value.tsx';

/** Exists only while it is open, and with it the value that it holds. */
export function CreateKeyDialog({ onClose }: { onClose(): void }) {
  const project = useProject();
  const navigate = useNavigate();
  const form = useId();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [errors, setErrors] = useState<DraftErrors>({});
  const [made, setMade] = useState<ApiKey | null>(null);
  const { run, busy, failure } = useAction(createApiKey);

  async function submit() {
    const checked = checkDraft(draft, EMPTY_DRAFT, Date.now());
    setErrors(checked.ok ? {} : checked.errors);
    if (!checked.ok || busy) return;
    const answer = await run({ ...checked.body, projectId: project.id });
    if (answer) setMade(answer);
  }

  if (made)
    return (
      <NewValue
        title="Key created"
        made={made}
        onClose={onClose}
        onOpenKey={() =>
          navigate({
            to: '/p/$projectId/keys/$keyId',
            params: { projectId: project.id, keyId: made.id },
          })
        }
      />
    );
  return (
    <Dialog
      open
      onClose={onClose}
      closesOnBackdrop={false}
      size="md"
      title="Create a key"
      description={
        <span className="flex flex-wrap items-center gap-2">
          In {project.name} <EnvBadge env={project.env} />
        </span>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="solid" type="submit" form={form} busy={busy}>
            Create key
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
