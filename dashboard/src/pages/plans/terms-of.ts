import type { PLAN } from '@keyward/rules/resources/plan.ts';
import { DRAFTS, type DraftOf, type Read } from '../../fields/drafts.ts';

const valid = <Value, None>(read: Read<Value>, none: None) => (read.ok ? read.value : none);

/** The settings of a key on the edited plan. Invalid fields are left out until they are corrected. */
export const termsOf = (draft: DraftOf<typeof PLAN>) => ({
  limits: valid(DRAFTS.limits.read(draft.limits), []),
  credits: valid(DRAFTS.planCredits.read(draft.credits), null),
  permissions: valid(DRAFTS.permissions.read(draft.permissions), []),
  allowedIPs: valid(DRAFTS.addresses.read(draft.allowedIPs), null),
});
