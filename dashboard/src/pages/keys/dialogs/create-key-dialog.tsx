import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import type { ApiKey } from 'keyward';
import { useState } from 'react';
import { createApiKey } from '../../../api/api-keys.ts';
import { useProject } from '../../../app/current.ts';
import { EnvBadge } from '../../../components/display/badge.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { useNewDraft } from '../../../fields/use-field-draft.ts';
import { useCreation } from '../../../hooks/use-action.ts';
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
  const { draft, form, failure, check } = useNewDraft(API_KEY, create, { customAccountId });

  async function submit() {
    const checked = check();
    if (!checked.ok) return;
    const result = await create.run({ ...checked.body, projectId: project.id });
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
      <KeyFields {...form} />
    </FormDialog>
  );
}
