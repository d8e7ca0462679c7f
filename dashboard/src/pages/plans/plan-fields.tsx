import { useId } from 'react';
import { useProject } from '../../app/current.ts';
import { CreditsField } from '../../components/forms/credits-field.tsx';
import { TextField } from '../../components/forms/field.tsx';
import { LimitsField } from '../../components/forms/limits-field.tsx';
import type { Errors } from '../../hooks/use-draft.ts';
import { LimitPreview } from '../policies/limit-preview.tsx';
import { PlanTerms } from '../policies/plan-terms.tsx';
import { AddressesField, PermissionsField } from '../policies/policy-fields.tsx';
import { type PlanDraft, termsOf } from './plan-draft.ts';

interface PlanFieldsProps {
  readonly draft: PlanDraft;
  /** The draft when the form opened. */
  readonly initial: PlanDraft;
  /** Undefined for a new plan. */
  readonly planId?: string;
  readonly errors: Errors<PlanDraft>;
  onChange(draft: PlanDraft): void;
}

/** The settings of a plan, beside what they mean for a key. */
export function PlanFields(props: PlanFieldsProps) {
  const { draft, initial, planId, errors, onChange } = props;
  const id = useId();
  const { id: projectId } = useProject();
  const terms = termsOf(draft);
  const set = <Name extends keyof PlanDraft>(name: Name) => ({
    value: draft[name],
    error: errors[name] ?? null,
    onChange: (value: PlanDraft[Name]) => onChange({ ...draft, [name]: value }),
  });
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-5">
        <TextField
          label="Name"
          placeholder="Pro"
          maxLength={256}
          autoComplete="off"
          {...set('name')}
        />
        <LimitsField
          label="Limits"
          hint="A request must fit into all of them. A customer or a key can replace a limit with one of the same name."
          {...set('limits')}
        />
        <CreditsField
          of="plan"
          label="Include credits"
          hint="Prepaid requests. Each request takes its cost from them."
          initial={initial.credits}
          {...set('credits')}
        />
        <PermissionsField {...set('permissions')} />
        <AddressesField {...set('allowedIPs')} />
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
