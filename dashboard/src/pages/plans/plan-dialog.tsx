import { useState } from 'react';
import { createPlan, fetchPlan, updatePlan } from '../../api/plans.ts';
import type { Plan } from '../../api/records.ts';
import { useProject } from '../../app/current.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ActionFailure } from '../../components/feedback/notice.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { EditConflicts } from '../../components/forms/edit-conflicts.tsx';
import {
  CancelButton,
  Dialog,
  differs,
  UNSAVED_CHANGES,
} from '../../components/overlays/dialog.tsx';
import { useCreation } from '../../hooks/use-action.ts';
import { useDraft } from '../../hooks/use-draft.ts';
import { useEdit } from '../../hooks/use-edit.ts';
import { EMPTY_PLAN, PLAN_RULES, planDraft } from './plan-draft.ts';
import { PlanForm } from './plan-form.tsx';

interface CreatePlanDialogProps {
  onClose(): void;
  onCreated(plan: Plan): void;
}

export function CreatePlanDialog({ onClose, onCreated }: CreatePlanDialogProps) {
  const project = useProject();
  const create = useCreation(createPlan);
  const { form, draft, errors, failure, ...state } = useDraft(EMPTY_PLAN, create, PLAN_RULES);

  async function submit() {
    const checked = state.check();
    if (!checked.ok || create.busy) return;
    const plan = await create.run({
      ...checked.body,
      name: draft.name.trim(),
      projectId: project.id,
    });
    if (!plan) return state.focusFirstError();
    toast({ text: `${plan.name} was created. Keys and customers can use it now.` });
    onCreated(plan);
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={differs(draft, EMPTY_PLAN) ? UNSAVED_CHANGES : null}
      closesOnBackdrop={false}
      size="xl"
      title="Create plan"
      description={`In ${project.name}.`}
      footer={
        <>
          <CancelButton />
          <Button kind="solid" type="submit" form={form} busy={create.busy}>
            Create plan
          </Button>
        </>
      }
    >
      <PlanForm
        id={form}
        initial={EMPTY_PLAN}
        {...{ draft, errors }}
        onChange={state.onChange}
        onSubmit={() => void submit()}
      >
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </PlanForm>
    </Dialog>
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
  const [initial] = useState(() => planDraft(plan));
  const { form, draft, errors, failure, ...state } = useDraft(initial, edit, PLAN_RULES);

  async function submit() {
    const checked = state.check();
    if (!checked.ok || edit.busy) return;
    const saved = await edit.run(checked.body);
    if (saved === undefined) return state.focusFirstError();
    if (!saved) return;
    onClose();
    toast({ text: 'Plan saved. Changes take effect immediately.' });
  }

  return (
    <Dialog
      open
      onClose={onClose}
      closeWarning={differs(draft, initial) ? UNSAVED_CHANGES : null}
      closesOnBackdrop={false}
      size="xl"
      title="Edit plan"
      description="Changes apply immediately to all keys on this plan. New credits apply at the next refill."
      footer={
        <>
          <CancelButton />
          <Button kind="solid" type="submit" form={form} busy={edit.busy}>
            {edit.conflicts.length > 0 ? 'Save anyway' : 'Save'}
          </Button>
        </>
      }
    >
      <PlanForm
        id={form}
        initial={initial}
        planId={plan.id}
        {...{ draft, errors }}
        onChange={state.onChange}
        onSubmit={() => void submit()}
      >
        <EditConflicts conflicts={edit.conflicts} />
        {failure && <ActionFailure>{failure}</ActionFailure>}
      </PlanForm>
    </Dialog>
  );
}
