import { type SubmitEvent, useId, useState } from 'react';
import { fetchProject, updateProject } from '../../api/projects.ts';
import type { Project } from '../../api/records.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ActionFailure } from '../../components/feedback/notice.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Checkbox } from '../../components/forms/checkbox.tsx';
import { EditConflicts } from '../../components/forms/edit-conflicts.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { CancelButton, Dialog, UNSAVED_CHANGES } from '../../components/overlays/dialog.tsx';
import { useEdit } from '../../hooks/use-edit.ts';
import { KeyPrefixField } from './key-prefix-field.tsx';
import { draftOf, NoticeFields, noticeErrors, settingsOf } from './notice-fields.tsx';

interface EditProjectProps {
  readonly project: Project;
  onClose(): void;
}

export function EditProject({ project, onClose }: EditProjectProps) {
  const [name, setName] = useState(project.name);
  const [prefix, setPrefix] = useState(project.keyPrefix ?? '');
  const [onLeak, setOnLeak] = useState(project.onLeak);
  const [noticeDraft, setNoticeDraft] = useState(() => draftOf(project));
  const [isChecked, setChecked] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const form = useId();
  const edit = useEdit(project, {
    read: () => fetchProject(project.id),
    save: (changed, seen) => updateProject(project.id, changed, seen.updatedAt),
  });

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const isEmpty = name.trim() === '';
    setError(isEmpty ? 'Enter a name.' : null);
    setChecked(true);
    const isWrong = Object.keys(noticeErrors(noticeDraft)).length > 0;
    const keyPrefix = prefix.trim() || null;
    if (isEmpty || isWrong) return;
    if (!(await edit.run({ name: name.trim(), keyPrefix, onLeak, ...settingsOf(noticeDraft) })))
      return;
    toast({ text: `${name.trim()} was saved.` });
    onClose();
  }

  const { opened } = edit;
  const isChanged =
    name !== opened.name ||
    prefix !== (opened.keyPrefix ?? '') ||
    onLeak !== opened.onLeak ||
    JSON.stringify(noticeDraft) !== JSON.stringify(draftOf(opened));
  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={isChanged ? UNSAVED_CHANGES : null}
      title={`Edit ${project.name}`}
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
        <KeyPrefixField env={project.env} value={prefix} onChange={setPrefix} />
        <Checkbox
          label="Revoke leaked keys"
          hint="When the value of a key or access key is reported as leaked. Otherwise you are only notified."
          checked={onLeak === 'revoke'}
          onChange={(isChecked) => setOnLeak(isChecked ? 'revoke' : 'notify')}
        />
        <NoticeFields
          draft={noticeDraft}
          errors={isChecked ? noticeErrors(noticeDraft) : {}}
          onChange={setNoticeDraft}
        />
        <EditConflicts conflicts={edit.conflicts} />
        {edit.failure && <ActionFailure>{edit.failure}</ActionFailure>}
      </form>
    </Dialog>
  );
}
