import type { Project } from 'keyward';
import { useState } from 'react';
import { fetchProject, updateProject } from '../../api/projects.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { Checkbox } from '../../components/forms/checkbox.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
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
  const edit = useEdit(project, {
    read: () => fetchProject(project.id),
    save: (changed, seen) => updateProject(project.id, changed, seen.updatedAt),
  });

  async function submit() {
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

  return (
    <FormDialog
      onClose={onClose}
      title={`Edit ${project.name}`}
      input={{ name, prefix, onLeak, noticeDraft }}
      action="Save"
      busy={edit.busy}
      failure={edit.failure}
      conflicts={edit.conflicts}
      onSubmit={submit}
    >
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
    </FormDialog>
  );
}
