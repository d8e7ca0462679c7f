import type { ApiKey } from 'keyward';
import { useState } from 'react';
import { createApiKey } from '../../../api/api-keys.ts';
import { useProject } from '../../../app/current.ts';
import { EnvBadge } from '../../../components/display/badge.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { useCreation } from '../../../hooks/use-action.ts';
import { useDraft } from '../../../hooks/use-draft.ts';
import { EMPTY_DRAFT, keyRules } from './key-draft.ts';
import { KeyFields } from './key-fields.tsx';
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
  const { draft, errors, failure, check, onChange } = useDraft(initial, create, keyRules(openedAt));

  async function submit() {
    const checked = check();
    if (!checked.ok) return;
    const result = await create.run({
      ...checked.body,
      customAccountId: draft.customAccountId.trim() || null,
      projectId: project.id,
    });
    if (result) setCreated(result);
  }

  if (created) return <NewValue title="Key created" apiKey={created} onClose={onClose} />;
  return (
    <FormDialog
      onClose={onClose}
      size="md"
      title="Create key"
      description={
        <span className="flex flex-wrap items-center gap-2">
          In {project.name} <EnvBadge env={project.env} />
        </span>
      }
      input={draft}
      action="Create key"
      busy={create.busy}
      failure={failure}
      onSubmit={submit}
    >
      <KeyFields {...{ draft, errors, onChange }} initial={initial} />
    </FormDialog>
  );
}
