import type { Project } from 'keyward';
import { useState } from 'react';
import { fetchProject, updateProject } from '../../api/projects.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { FieldControls } from '../../fields/controls.tsx';
import { changeable } from '../../fields/drafts.ts';
import { useEditDraft } from '../../fields/use-field-draft.ts';
import { useEdit } from '../../hooks/use-edit.ts';
import { NoticeFields, noticeErrors, noticesOf, settingsOf } from './notice-fields.tsx';
import { PROJECT_CONTROLS, PROJECT_FORM, projectTexts } from './project-form.tsx';

const FIELDS = changeable(PROJECT_FORM);

interface EditProjectProps {
  readonly project: Project;
  onClose(): void;
}

export function EditProject({ project, onClose }: EditProjectProps) {
  const [notices, setNotices] = useState(() => noticesOf(project));
  const [isChecked, setChecked] = useState(false);
  const edit = useEdit(project, {
    read: () => fetchProject(project.id),
    save: (changed, seen) => updateProject(project.id, changed, seen.updatedAt),
  });
  const { draft, form, failure, check } = useEditDraft(FIELDS, edit, project);

  async function submit() {
    const checked = check();
    setChecked(true);
    const isWrong = Object.keys(noticeErrors(notices)).length > 0;
    if (!checked.ok || isWrong) return;
    if (!(await edit.run({ ...checked.body, ...settingsOf(notices) }))) return;
    toast({ text: `${draft.name.trim()} was saved.` });
    onClose();
  }

  return (
    <FormDialog
      onClose={onClose}
      title={`Edit ${project.name}`}
      input={{ draft, notices }}
      action="Save"
      busy={edit.busy}
      failure={failure}
      conflicts={edit.conflicts}
      onSubmit={submit}
    >
      <FieldControls {...form} texts={projectTexts(project.env)} own={PROJECT_CONTROLS} />
      <NoticeFields
        draft={notices}
        errors={isChecked ? noticeErrors(notices) : {}}
        onChange={setNotices}
      />
    </FormDialog>
  );
}
