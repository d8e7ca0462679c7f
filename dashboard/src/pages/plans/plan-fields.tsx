import type { PLAN } from '@keyward/rules/resources/plan.ts';
import { useId } from 'react';
import { useProject } from '../../app/current.ts';
import type { FormTexts } from '../../fields/control.ts';
import { FieldControls } from '../../fields/controls.tsx';
import type { useNewDraft } from '../../fields/use-field-draft.ts';
import { LimitPreview } from '../policies/limit-preview.tsx';
import { PlanTerms } from '../policies/plan-terms.tsx';
import { termsOf } from './terms-of.ts';

/** Where the form says something else than the description. */
const TEXTS: FormTexts<typeof PLAN> = {
  name: { hint: null, placeholder: 'Pro' },
  credits: {
    label: 'Include credits',
    hint: 'Prepaid requests. Each request takes its cost from them.',
  },
};

interface PlanFieldsProps {
  readonly form: ReturnType<typeof useNewDraft<typeof PLAN>>['form'];
  /** Undefined for a new plan. */
  readonly planId?: string;
}

/** The settings of a plan, beside what they mean for a key. */
export function PlanFields({ form, planId }: PlanFieldsProps) {
  const id = useId();
  const { id: projectId } = useProject();
  const terms = termsOf(form.draft);
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-5">
        <FieldControls {...form} texts={TEXTS} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <section aria-labelledby={`${id}-terms`} className="rounded-lg bg-sunken p-4">
          <h3 id={`${id}-terms`} className="mb-3 font-semibold">
            Settings of a key on this plan
          </h3>
          <PlanTerms {...terms} />
        </section>
        {(terms.limits.length > 0 || terms.credits !== null) && (
          <section aria-labelledby={`${id}-preview`} className="rounded-lg bg-sunken p-4">
            <h3 id={`${id}-preview`} className="font-semibold">
              What would have happened
            </h3>
            <p className="mb-3 text-muted text-sm">
              {planId === undefined
                ? 'If all keys of the project had been on this plan.'
                : 'If these settings had applied to the keys on this plan.'}
            </p>
            <LimitPreview
              body={{
                projectId,
                ...(planId !== undefined && { planId }),
                limits: terms.limits,
                credits: terms.credits,
              }}
              what={planId === undefined ? 'this project' : 'keys on this plan'}
            />
          </section>
        )}
      </div>
    </div>
  );
}
