import { useNavigate } from '@tanstack/react-router';
import type { Project } from 'keyward';
import { createProject } from '../../api/projects.ts';
import { useAccount } from '../../app/current.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { FieldControls } from '../../fields/controls.tsx';
import { without } from '../../fields/drafts.ts';
import { useNewDraft } from '../../fields/use-field-draft.ts';
import { useCreation } from '../../hooks/use-action.ts';
import { PROJECT_CONTROLS, PROJECT_FORM, projectTexts } from './project-form.tsx';

/** New projects only announce leaks. */
const FIELDS = without(PROJECT_FORM, 'onLeak');

interface CreateProjectProps {
  readonly env: Project['env'];
  onClose(): void;
}

export function CreateProject({ env, onClose }: CreateProjectProps) {
  const account = useAccount();
  const navigate = useNavigate();
  const create = useCreation(createProject);
  const { draft, form, failure, check } = useNewDraft(FIELDS, create, { env });

  async function submit() {
    const checked = check();
    if (!checked.ok) return;
    // The environment is sent even if it is the default, so that the request says what was chosen.
    const project = await create.run({ ...checked.body, env: draft.env, accountId: account.id });
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
      input={draft}
      action="Create project"
      busy={create.busy}
      failure={failure}
      onSubmit={submit}
    >
      <FieldControls {...form} texts={projectTexts(draft.env)} own={PROJECT_CONTROLS} />
    </FormDialog>
  );
}
