import { type SubmitEvent, useId, useState } from 'react';
import { renameProject } from '../../api/projects.ts';
import type { Project } from '../../api/records.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ActionFailure } from '../../components/feedback/notice.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { Dialog, UNSAVED_CHANGES } from '../../components/overlays/dialog.tsx';
import { useAction } from '../../hooks/use-action.ts';

interface RenameProjectProps {
  readonly project: Project;
  onClose(): void;
}

export function RenameProject({ project, onClose }: RenameProjectProps) {
  const [name, setName] = useState(project.name);
  const [error, setError] = useState<string | null>(null);
  const form = useId();
  const { run, busy, failure } = useAction(async () => {
    await renameProject(project.id, name.trim());
    return true;
  });

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const isEmpty = name.trim() === '';
    setError(isEmpty ? 'Enter a name.' : null);
    if (isEmpty || !(await run())) return;
    toast({ text: `Project renamed to ${name.trim()}.` });
    onClose();
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={name !== project.name ? UNSAVED_CHANGES : null}
      title={`Rename ${project.name}`}
      description="Only the display name changes. The project ID and its keys stay the same."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="solid" type="submit" form={form} busy={busy}>
            Save
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          error={error}
          maxLength={256}
          autoComplete="off"
        />
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </form>
    </Dialog>
  );
}
