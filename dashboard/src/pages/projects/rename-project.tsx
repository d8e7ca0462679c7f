import { type SubmitEvent, useId, useState } from 'react';
import { fetchProject, renameProject } from '../../api/projects.ts';
import type { Project } from '../../api/records.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ActionFailure } from '../../components/feedback/notice.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { EditConflicts } from '../../components/forms/edit-conflicts.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { CancelButton, Dialog, UNSAVED_CHANGES } from '../../components/overlays/dialog.tsx';
import { useEdit } from '../../hooks/use-edit.ts';

interface RenameProjectProps {
  readonly project: Project;
  onClose(): void;
}

export function RenameProject({ project, onClose }: RenameProjectProps) {
  const [name, setName] = useState(project.name);
  const [error, setError] = useState<string | null>(null);
  const form = useId();
  const edit = useEdit(project, {
    read: () => fetchProject(project.id),
    save: ({ name: changed }, seen) =>
      renameProject(project.id, changed ?? seen.name, seen.updatedAt),
  });

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const isEmpty = name.trim() === '';
    setError(isEmpty ? 'Enter a name.' : null);
    if (isEmpty || !(await edit.run({ name: name.trim() }))) return;
    toast({ text: `Project renamed to ${name.trim()}.` });
    onClose();
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={name !== edit.opened.name ? UNSAVED_CHANGES : null}
      title={`Rename ${project.name}`}
      description="Only the display name changes. The project ID and its keys stay the same."
      footer={
        <>
          <CancelButton />
          <Button kind="solid" type="submit" form={form} busy={edit.busy}>
            {edit.conflicts.length > 0 ? 'Save anyway' : 'Save'}
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
        <EditConflicts conflicts={edit.conflicts} />
        {edit.failure && <ActionFailure>{edit.failure}</ActionFailure>}
      </form>
    </Dialog>
  );
}
