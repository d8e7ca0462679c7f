import type { ApiKey, BodyOf } from 'keyward';
import { type Checked, type Errors, hasChanged } from '../../../hooks/use-draft.ts';
import { checkJson, formatJson } from '../../../text/check-json.ts';
import {
  type CreditsChoice,
  chosenCredits,
  creditsChoice,
  NO_CREDITS,
} from '../../../text/limits/credits.ts';
import { chosenLimit, type LimitChoice, limitChoice } from '../../../text/limits/limits.ts';
import { itemsOf, tagsProblem } from '../../../text/limits/policies.ts';
import {
  chosenExpiry,
  type ExpiryChoice,
  expiryChoice,
  momentOf,
  NEVER,
  timeOf,
} from '../../../text/time/expiry.ts';
import {
  checkPolicies,
  EMPTY_POLICIES,
  errorOfField,
  listOf,
  type PolicyBody,
  type PolicyDraft,
  policyDraft,
} from '../../policies/policy-draft.ts';

/** Values of the key form, as text. */
export interface KeyDraft extends PolicyDraft {
  readonly name: string;
  readonly customAccountId: string;
  readonly customUserId: string;
  readonly expiry: ExpiryChoice;
  readonly limit: LimitChoice;
  /** Empty for none. */
  readonly planId: string;
  readonly credits: CreditsChoice;
  /** One per line. */
  readonly allowedDomains: string;
  /** Value of a `datetime-local` field; empty if the key is valid immediately. */
  readonly startsAt: string;
  readonly tags: string;
  readonly metadata: string;
}

export type DraftErrors = Errors<KeyDraft>;

/**
 * Permissions, limits and tags are cleared with an empty list, domains and addresses with null, because the API
 * accepts no empty list for those.
 */
export type KeyBody = Omit<
  BodyOf<'updateApiKey'>,
  'key' | keyof PolicyBody | 'tags' | 'rateLimitConfigs'
> &
  PolicyBody & { tags?: string[] } & Pick<BodyOf<'createApiKey'>, 'rateLimitConfigs'>;

export const EMPTY_DRAFT: KeyDraft = {
  ...EMPTY_POLICIES,
  name: '',
  customAccountId: '',
  customUserId: '',
  expiry: NEVER,
  limit: limitChoice(null),
  planId: '',
  credits: NO_CREDITS,
  allowedDomains: '',
  startsAt: '',
  tags: '',
  metadata: '{}',
};

export const draftOf = (key: ApiKey): KeyDraft => ({
  ...policyDraft(key),
  name: key.name,
  customAccountId: key.customAccountId ?? '',
  customUserId: key.customUserId ?? '',
  expiry: expiryChoice(key.expiresAt),
  limit: limitChoice(key.rateLimitConfigs),
  planId: key.planId ?? '',
  credits: creditsChoice(key.credits),
  allowedDomains: key.allowedDomains?.join('\n') ?? '',
  startsAt: key.startsAt === null ? '' : momentOf(Date.parse(key.startsAt)),
  tags: key.tags.join(' '),
  metadata: formatJson(key.customMetaData),
});

/** The body to send: only fields that differ from `before`, so that no other change is overwritten. */
export function checkDraft(
  draft: KeyDraft,
  before: KeyDraft,
  now: number,
): Checked<KeyDraft, KeyBody> {
  const policies = checkPolicies(draft, before);
  const errors: { -readonly [Field in keyof KeyDraft]?: string } = policies.errors;
  const differs = (field: keyof KeyDraft) => hasChanged(draft, before, field);
  // A name with spaces around it stays the same until it is edited.
  const name = differs('name') ? draft.name.trim() : draft.name;
  if (name === '') errors.name = 'Enter a name.';
  const body: KeyBody = { name, ...policies.body };
  if (differs('customAccountId')) body.customAccountId = draft.customAccountId.trim() || null;
  if (differs('customUserId')) body.customUserId = draft.customUserId.trim() || null;
  if (differs('expiry')) {
    const expiry = chosenExpiry(draft.expiry, now);
    if (expiry === undefined) errors.expiry = 'Choose a date and time.';
    else if (expiry !== null && Date.parse(expiry) <= now)
      errors.expiry = 'This date is in the past. To stop a key now, revoke it.';
    else body.expiry = expiry;
  }
  if (differs('limit')) {
    const limit = chosenLimit(draft.limit);
    if (limit.ok) body.rateLimitConfigs = limit.configs;
    else errors.limit = limit.message;
  }
  if (differs('allowedDomains')) body.allowedDomains = listOf(draft.allowedDomains);
  if (differs('planId')) body.planId = draft.planId || null;
  if (differs('credits')) {
    const credits = chosenCredits(draft.credits, before.credits);
    if (credits.ok) body.credits = credits.credits;
    else errors.credits = credits.message;
  }
  const wrongTag = tagsProblem(draft.tags);
  if (wrongTag !== null) errors.tags = wrongTag;
  else if (differs('tags')) body.tags = itemsOf(draft.tags);
  if (differs('startsAt'))
    body.startsAt = draft.startsAt === '' ? null : new Date(timeOf(draft.startsAt)).toISOString();
  const metadata = checkJson(draft.metadata);
  if (!metadata.ok) errors.metadata = metadata.message;
  else if (differs('metadata')) body.customMetaData = metadata.value;
  return Object.keys(errors).length > 0 ? { ok: false, errors } : { ok: true, body };
}

/** Fields of the form with the same name in the API. */
const SAME_NAME = [
  'name',
  'customAccountId',
  'customUserId',
  'expiry',
  'planId',
  'limits',
  'credits',
  'permissions',
  'allowedIPs',
  'startsAt',
  'tags',
] as const satisfies readonly (keyof KeyDraft)[];

function serverErrors(message: string | null, field: string | null): DraftErrors | null {
  if (message !== null && field === 'rateLimitConfigs') return { limit: message };
  if (message !== null && field === 'allowedDomains')
    return {
      allowedDomains: 'Enter domains such as app.example.com or *.example.org, one per line.',
    };
  return errorOfField<KeyDraft>(SAME_NAME, message, field);
}

/** "In 30 days" counts from `openedAt`, so that sending the form again sends the same body. */
export const keyRules = (openedAt: number) => ({
  check: (draft: KeyDraft, initial: KeyDraft) => checkDraft(draft, initial, openedAt),
  serverErrors,
});
