import { PLAN } from '@keyward/rules/resources/plan.ts';
import type { Plan } from 'keyward';
import { createPlan, fetchPlan, updatePlan } from '../../api/plans.ts';
import { useProject } from '../../app/current.ts';
import { toast } from '../../components/feedback/toasts.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { useEditDraft, useNewDraft } from '../../fields/use-field-draft.ts';
import { useCreation } from '../../hooks/use-action.ts';
import { useEdit } from '../../hooks/use-edit.ts';
import { PlanFields } from './plan-fields.tsx';

interface CreatePlanDialogProps {
  onClose(): void;
  onCreated(plan: Plan): void;
}

export function CreatePlanDialog({ onClose, onCreated }: CreatePlanDialogProps) {
  const project = useProject();
  const create = useCreation(createPlan);
  const { draft, form, failure, check } = useNewDraft(PLAN, create);

  async function submit() {
    const checked = check();
    if (!checked.ok) return;
    const plan = await create.run({ ...checked.body, projectId: project.id });
    if (!plan) return;
    toast({ text: `${plan.name} was created. Keys and customers can use it now.` });
    onCreated(plan);
  }

  return (
    <FormDialog
      onClose={onClose}
      size="xl"
      title="Create plan"
      description={`In ${project.name}.`}
      input={draft}
      action="Create plan"
      busy={create.busy}
      failure={failure}
      onSubmit={submit}
    >
      <PlanFields form={form} />
    </FormDialog>
  );
}

interface EditPlanDialogProps {
  readonly plan: Plan;
  onClose(): void;
}

export function EditPlanDialog({ plan, onClose }: EditPlanDialogProps) {
  const edit = useEdit(plan, {
    read: () => fetchPlan(plan.id),
    save: (changes, { updatedAt }) => updatePlan(plan.id, changes, updatedAt),
  });
  const { draft, form, failure, check } = useEditDraft(PLAN, edit, plan);

  async function submit() {
    const checked = check();
    if (!checked.ok) return;
    if (!(await edit.run(checked.body))) return;
    onClose();
    toast({ text: 'Plan saved. Changes take effect immediately.' });
  }

  return (
    <FormDialog
      onClose={onClose}
      size="xl"
      title="Edit plan"
      description="Changes apply immediately to all keys on this plan. New credits apply at the next refill."
      input={draft}
      action="Save"
      busy={edit.busy}
      failure={failure}
      conflicts={edit.conflicts}
      onSubmit={submit}
    >
      <PlanFields form={form} planId={plan.id} />
    </FormDialog>
  );
}
