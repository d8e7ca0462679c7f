import type { AccessKey } from 'keyward';
import { useState } from 'react';
import { createAccessKey } from '../../api/access-keys.ts';
import { useAccount, useProject } from '../../app/current.ts';
import { useOwnProjects } from '../../app/session/permissions.ts';
import { RadioCards } from '../../components/forms/radio-cards.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { useCreation } from '../../hooks/use-action.ts';
import { type DraftErrors, emptyDraft, readDraft } from './access-key-draft.ts';
import { AccessKeyFields } from './access-key-fields.tsx';
import { NewValue } from './new-value.tsx';

export function CreateAccessKey({ onClose }: { readonly onClose: () => void }) {
  // The value is kept only here, until the dialog closes.
  const [created, setCreated] = useState<AccessKey | null>(null);
  if (created) return <NewValue title="Access key created" accessKey={created} onClose={onClose} />;
  return <CreateForm onClose={onClose} onCreated={setCreated} />;
}

type Level = 'project' | 'account';

function CreateForm({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  onCreated(accessKey: AccessKey): void;
}) {
  const project = useProject();
  const account = useAccount();
  // "In 30 days" counts from this time, so that sending the form again sends the same body.
  const [openedAt] = useState(Date.now);
  const [draft, setDraft] = useState(emptyDraft);
  const [level, setLevel] = useState<Level>('project');
  const [errors, setErrors] = useState<DraftErrors>({});
  const { run, busy, failure } = useCreation(createAccessKey);
  const isLimited = useOwnProjects() !== null;

  async function submit() {
    const { body, errors: found = {} } = readDraft(draft, openedAt);
    setErrors(found);
    if (!body) return;
    const created = await run({
      ...body,
      accountId: account.id,
      projectId: level === 'project' ? project.id : null,
    });
    if (created) onCreated(created);
  }

  return (
    <FormDialog
      onClose={onClose}
      size="md"
      title="Create access key"
      description="A credential for your own servers and scripts, not for your customers."
      input={{ draft, level }}
      action="Create access key"
      busy={busy}
      failure={failure}
      onSubmit={submit}
    >
      <AccessKeyFields draft={draft} errors={errors} onChange={setDraft}>
        <RadioCards
          label="Level"
          value={level}
          onChange={setLevel}
          options={[
            {
              value: 'project',
              label: `Project ${project.name}`,
              hint: `Only this project, in the ${project.env} environment.`,
            },
            {
              value: 'account',
              label: 'Whole account',
              hint: isLimited
                ? 'Your role is limited to certain projects, so you cannot grant this.'
                : `All current and future projects of ${account.name}.`,
              disabled: isLimited,
            },
          ]}
        />
      </AccessKeyFields>
    </FormDialog>
  );
}
