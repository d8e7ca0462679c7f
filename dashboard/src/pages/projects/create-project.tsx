import { useNavigate } from '@tanstack/react-router';
import type { Project } from 'keyward';
import { useState } from 'react';
import { createProject } from '../../api/projects.ts';
import { useAccount } from '../../app/current.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { RadioCards } from '../../components/forms/radio-cards.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { useCreation } from '../../hooks/use-action.ts';
import { KeyPrefixField } from './key-prefix-field.tsx';

interface CreateProjectProps {
  readonly env: Project['env'];
  onClose(): void;
}

export function CreateProject({ env: first, onClose }: CreateProjectProps) {
  const account = useAccount();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [env, setEnv] = useState(first);
  const [prefix, setPrefix] = useState('');
  const [error, setError] = useState<string | null>(null);
  const { run, busy, failure } = useCreation(createProject);

  async function submit() {
    const isEmpty = name.trim() === '';
    setError(isEmpty ? 'Enter a name.' : null);
    if (isEmpty) return;
    const keyPrefix = prefix.trim() || null;
    const project = await run({ name: name.trim(), env, keyPrefix, accountId: account.id });
    if (!project) return;
    toast({ text: `${project.name} was created.` });
    await navigate({ to: '/p/$projectId', params: { projectId: project.id } });
  }

  return (
    <FormDialog
      onClose={onClose}
      size="md"
      title="Create project"
      description={`In ${account.name}.`}
      input={{ name, env, prefix }}
      action="Create project"
      busy={busy}
      failure={failure}
      onSubmit={submit}
    >
      <TextField
        label="Name"
        placeholder="Shop"
        value={name}
        onChange={setName}
        error={error}
        maxLength={256}
        autoComplete="off"
      />
      <RadioCards
        label="Environment"
        value={env}
        onChange={setEnv}
        options={[
          {
            value: 'live',
            label: 'Live',
            hint: 'For production.',
          },
          {
            value: 'test',
            label: 'Test',
            hint: 'For development and testing.',
          },
        ]}
      />
      <p className="text-faint text-sm">The environment cannot be changed later.</p>
      <KeyPrefixField env={env} value={prefix} onChange={setPrefix} />
    </FormDialog>
  );
}
