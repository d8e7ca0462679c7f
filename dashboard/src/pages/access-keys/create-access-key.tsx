import { ACCESS_KEY } from '@keyward/rules/resources/access-key.ts';
import type { AccessKey } from 'keyward';
import { useState } from 'react';
import { createAccessKey } from '../../api/access-keys.ts';
import { useAccount, useProject } from '../../app/current.ts';
import { useOwnProjects } from '../../app/session/permissions.ts';
import { RadioCards } from '../../components/forms/radio-cards.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { FieldControls } from '../../fields/controls.tsx';
import { PRESETS } from '../../fields/scopes.ts';
import { useNewDraft } from '../../fields/use-field-draft.ts';
import { useCreation } from '../../hooks/use-action.ts';
import { ACCESS_KEY_TEXTS } from './access-key-texts.ts';
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
  const [level, setLevel] = useState<Level>('project');
  const create = useCreation(createAccessKey);
  const { draft, form, failure, check } = useNewDraft(ACCESS_KEY, create, {
    scopes: [...PRESETS.validate.scopes],
  });

  async function submit() {
    const checked = check();
    if (!checked.ok) return;
    const created = await create.run({
      ...checked.body,
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
      busy={create.busy}
      failure={failure}
      onSubmit={submit}
    >
      <FieldControls
        {...form}
        texts={ACCESS_KEY_TEXTS}
        after={{ name: <LevelChoice level={level} onChange={setLevel} /> }}
      />
    </FormDialog>
  );
}

interface LevelChoiceProps {
  readonly level: Level;
  onChange(level: Level): void;
}

function LevelChoice({ level, onChange }: LevelChoiceProps) {
  const project = useProject();
  const account = useAccount();
  const isLimited = useOwnProjects() !== null;
  return (
    <RadioCards
      label="Level"
      value={level}
      onChange={onChange}
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
  );
}
