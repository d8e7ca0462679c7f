import { useState } from 'react';
import { createApiKey } from '../../../api/api-keys.ts';
import type { ApiKey } from '../../../api/records.ts';
import { useProject } from '../../../app/current.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { EnvBadge } from '../../../components/display/badge.tsx';
import { ActionFailure } from '../../../components/feedback/notice.tsx';
import {
  CancelButton,
  Dialog,
  differs,
  UNSAVED_CHANGES,
} from '../../../components/overlays/dialog.tsx';
import { useCreation } from '../../../hooks/use-action.ts';
import { useDraft } from '../../../hooks/use-draft.ts';
import { EMPTY_DRAFT, keyRules } from './key-draft.ts';
import { KeyForm } from './key-form.tsx';
import { NewValue } from './new-value.tsx';

interface CreateKeyDialogProps {
  /** Prefilled. */
  readonly customAccountId?: string | undefined;
  onClose(): void;
}

/** Mounted only while it is open, so the value is gone when it closes. */
export function CreateKeyDialog({ customAccountId = '', onClose }: CreateKeyDialogProps) {
  const project = useProject();
  const [created, setCreated] = useState<ApiKey | null>(null);
  const create = useCreation(createApiKey);
  const [initial] = useState(() => ({ ...EMPTY_DRAFT, customAccountId }));
  const [openedAt] = useState(Date.now);
  const { form, draft, errors, failure, ...state } = useDraft(initial, create, keyRules(openedAt));

  async function submit() {
    const checked = state.check();
    if (!checked.ok || create.busy) return;
    const result = await create.run({
      ...checked.body,
      customAccountId: draft.customAccountId.trim() || null,
      projectId: project.id,
    });
    if (result) setCreated(result);
    else state.focusFirstError();
  }

  if (created) return <NewValue title="Key created" apiKey={created} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={differs(draft, initial) ? UNSAVED_CHANGES : null}
      closesOnBackdrop={false}
      size="md"
      title="Create key"
      description={
        <span className="flex flex-wrap items-center gap-2">
          In {project.name} <EnvBadge env={project.env} />
        </span>
      }
      footer={
        <>
          <CancelButton />
          <Button kind="solid" type="submit" form={form} busy={create.busy}>
            Create key
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <KeyForm
          id={form}
          draft={draft}
          initial={initial}
          errors={errors}
          onChange={state.onChange}
          onSubmit={() => void submit()}
        />
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </div>
    </Dialog>
  );
}
