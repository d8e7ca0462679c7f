import type { BodyOf, Customer } from 'keyward';
import { type Checked, hasChanged } from '../../../hooks/use-draft.ts';
import { checkJson, formatJson } from '../../../text/check-json.ts';
import {
  type CreditsChoice,
  chosenCredits,
  creditsChoice,
  NO_CREDITS,
} from '../../../text/limits/credits.ts';
import { itemsOf, tagsProblem } from '../../../text/limits/policies.ts';
import {
  checkPolicies,
  EMPTY_POLICIES,
  errorOfField,
  type PolicyBody,
  type PolicyDraft,
  policyDraft,
} from '../../policies/policy-draft.ts';

/** Values of the customer form, as text. */
export interface CustomerDraft extends PolicyDraft {
  readonly customAccountId: string;
  readonly name: string;
  readonly email: string;
  /** Empty for none. */
  readonly planId: string;
  readonly credits: CreditsChoice;
  readonly tags: string;
  readonly metadata: string;
}

/** The API accepts null to clear lists. The form sends an empty list instead. */
export type CustomerBody = Omit<BodyOf<'updateCustomer'>, keyof PolicyBody | 'tags'> &
  PolicyBody & { tags?: string[] };

export const emptyCustomer = (customAccountId: string): CustomerDraft => ({
  ...EMPTY_POLICIES,
  customAccountId,
  name: '',
  email: '',
  planId: '',
  credits: NO_CREDITS,
  tags: '',
  metadata: '{}',
});

export const customerDraft = (customer: Customer): CustomerDraft => ({
  ...policyDraft(customer),
  customAccountId: customer.customAccountId,
  name: customer.name ?? '',
  email: customer.email ?? '',
  planId: customer.planId ?? '',
  credits: creditsChoice(customer.credits),
  tags: customer.tags.join(' '),
  metadata: formatJson(customer.customMetaData),
});

function check(draft: CustomerDraft, initial: CustomerDraft): Checked<CustomerDraft, CustomerBody> {
  const policies = checkPolicies(draft, initial);
  const errors: { -readonly [Field in keyof CustomerDraft]?: string } = policies.errors;
  const body: CustomerBody = policies.body;
  const differs = (field: keyof CustomerDraft) => hasChanged(draft, initial, field);
  if (draft.customAccountId.trim() === '') errors.customAccountId = 'Enter the ID of the customer.';
  if (differs('name')) body.name = draft.name.trim() || null;
  if (!/^$|^[^\s@]+@[^\s@]+$/.test(draft.email.trim())) errors.email = 'Enter an email address.';
  else if (differs('email')) body.email = draft.email.trim() || null;
  if (differs('planId')) body.planId = draft.planId || null;
  if (differs('credits')) {
    const credits = chosenCredits(draft.credits, initial.credits);
    if (credits.ok) body.credits = credits.credits;
    else errors.credits = credits.message;
  }
  const wrongTag = tagsProblem(draft.tags);
  if (wrongTag !== null) errors.tags = wrongTag;
  else if (differs('tags')) body.tags = itemsOf(draft.tags);
  const metadata = checkJson(draft.metadata);
  if (!metadata.ok) errors.metadata = metadata.message;
  else if (differs('metadata')) body.customMetaData = metadata.value;
  return Object.keys(errors).length > 0 ? { ok: false, errors } : { ok: true, body };
}

const FIELDS = [
  'customAccountId',
  'name',
  'email',
  'planId',
  'credits',
  'limits',
  'permissions',
  'allowedIPs',
  'tags',
] as const;

export const CUSTOMER_RULES = {
  check,
  serverErrors: (message: string | null, field: string | null) =>
    errorOfField<CustomerDraft>(FIELDS, message, field),
};
