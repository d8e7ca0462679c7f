import type { BodyOf, Plan, PlanCredits } from 'keyward';
import { type Checked, hasChanged } from '../../hooks/use-draft.ts';
import {
  type CreditsChoice,
  chosenPlanCredits,
  planCreditsChoice,
} from '../../text/limits/credits.ts';
import { checkLimitRows } from '../../text/limits/limit-rows.ts';
import { addressesProblem, itemsOf, permissionsProblem } from '../../text/limits/policies.ts';
import {
  checkPolicies,
  EMPTY_POLICIES,
  errorOfField,
  type PolicyBody,
  type PolicyDraft,
  policyDraft,
} from '../policies/policy-draft.ts';

/** Values of the plan form, as text. */
export interface PlanDraft extends PolicyDraft {
  readonly name: string;
  readonly credits: CreditsChoice;
}

/** Only the changed fields. The API accepts null to clear lists; the form sends an empty list. */
export type PlanBody = Omit<BodyOf<'updatePlan'>, keyof PolicyBody> & PolicyBody;

export const EMPTY_PLAN: PlanDraft = {
  ...EMPTY_POLICIES,
  name: '',
  credits: planCreditsChoice(null),
};

export const planDraft = (plan: Plan): PlanDraft => ({
  ...policyDraft(plan),
  name: plan.name,
  credits: planCreditsChoice(plan.credits),
});

function check(draft: PlanDraft, initial: PlanDraft): Checked<PlanDraft, PlanBody> {
  const policies = checkPolicies(draft, initial);
  const errors: { -readonly [Field in keyof PlanDraft]?: string } = policies.errors;
  const body: PlanBody = policies.body;
  if (draft.name.trim() === '') errors.name = 'Enter a name.';
  else if (hasChanged(draft, initial, 'name')) body.name = draft.name.trim();
  const credits = chosenPlanCredits(draft.credits);
  if (!credits.ok) errors.credits = credits.message;
  else if (hasChanged(draft, initial, 'credits')) body.credits = credits.credits;
  return Object.keys(errors).length > 0 ? { ok: false, errors } : { ok: true, body };
}

const FIELDS = ['name', 'permissions', 'limits', 'credits', 'allowedIPs'] as const;

export const PLAN_RULES = {
  check,
  serverErrors: (message: string | null, field: string | null) =>
    errorOfField<PlanDraft>(FIELDS, message, field),
};

interface Terms extends Required<Omit<PolicyBody, 'allowedIPs'>> {
  readonly allowedIPs: string[];
  readonly credits: PlanCredits | null;
}

/** The settings of a key on the edited plan. Invalid fields are left out until they are corrected. */
export function termsOf(draft: PlanDraft): Terms {
  const limits = checkLimitRows(draft.limits);
  const credits = chosenPlanCredits(draft.credits);
  const { permissions, allowedIPs } = draft;
  return {
    limits: limits.ok ? limits.limits : [],
    credits: credits.ok ? credits.credits : null,
    permissions: permissionsProblem(permissions) === null ? itemsOf(permissions) : [],
    allowedIPs: addressesProblem(allowedIPs) === null ? itemsOf(allowedIPs) : [],
  };
}
