import type { BodyOf } from 'keyward';
import type { ApiKey } from '../../../api/records.ts';
import { checkJson, formatJson, METADATA_LIMITS } from '../../../text/check-json.ts';
import {
  chosenExpiry,
  type ExpiryChoice,
  expiryChoice,
  localMoment,
  NEVER,
} from '../../../text/expiry.ts';
import { chosenLimit, type LimitChoice, limitChoice } from '../../../text/limits.ts';
import {
  addressesProblem,
  itemsOf,
  permissionsProblem,
  tagsProblem,
} from '../../../text/policies.ts';

/** Values of the key form, as text. */
export interface KeyDraft {
  readonly name: string;
  readonly customAccountId: string;
  readonly customUserId: string;
  readonly expiry: ExpiryChoice;
  readonly limit: LimitChoice;
  /** One per line, like the next two. */
  readonly allowedDomains: string;
  readonly permissions: string;
  readonly allowedIPs: string;
  /** Value of a `datetime-local` field; empty if the key is valid immediately. */
  readonly startsAt: string;
  readonly tags: string;
  readonly metadata: string;
}

export type DraftErrors = Partial<Record<keyof KeyDraft, string>>;

/** The API accepts null to clear these lists. The form sends an empty list instead. */
export type KeyBody = Omit<
  BodyOf<'updateApiKey'>,
  'key' | 'permissions' | 'limits' | 'credits' | 'tags'
> & {
  permissions?: string[];
  tags?: string[];
};

export const EMPTY_DRAFT: KeyDraft = {
  name: '',
  customAccountId: '',
  customUserId: '',
  expiry: NEVER,
  limit: limitChoice(null),
  allowedDomains: '',
  permissions: '',
  allowedIPs: '',
  startsAt: '',
  tags: '',
  metadata: '{}',
};

export const draftOf = (key: ApiKey): KeyDraft => ({
  name: key.name,
  customAccountId: key.customAccountId ?? '',
  customUserId: key.customUserId ?? '',
  expiry: expiryChoice(key.expiresAt),
  limit: limitChoice(key.rateLimitConfigs),
  allowedDomains: key.allowedDomains?.join('\n') ?? '',
  permissions: key.permissions.join('\n'),
  allowedIPs: key.allowedIPs?.join('\n') ?? '',
  startsAt: key.startsAt === null ? '' : localMoment(Date.parse(key.startsAt)),
  tags: key.tags.join(' '),
  metadata: formatJson(key.customMetaData),
});

export type CheckedDraft =
  | { readonly ok: true; readonly body: KeyBody }
  | { readonly ok: false; readonly errors: DraftErrors };

/** The body to send: only fields that differ from `before`, so that no other change is overwritten. */
export function checkDraft(draft: KeyDraft, before: KeyDraft, now: number): CheckedDraft {
  const errors: DraftErrors = {};
  const differs = (field: keyof KeyDraft) =>
    JSON.stringify(draft[field]) !== JSON.stringify(before[field]);
  // A name with spaces around it stays the same until it is edited.
  const name = differs('name') ? draft.name.trim() : draft.name;
  if (name === '') errors.name = 'Enter a name.';
  const body: KeyBody = { name };
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
  for (const [field, problem] of Object.entries(LISTS)) {
    const name = field as keyof typeof LISTS;
    const wrong = problem(draft[name]);
    if (wrong !== null) errors[name] = wrong;
    else if (name === 'allowedIPs' && differs(name)) body[name] = listOf(draft[name]);
    else if (name !== 'allowedIPs' && differs(name)) body[name] = itemsOf(draft[name]);
  }
  if (differs('startsAt'))
    body.startsAt = draft.startsAt === '' ? null : new Date(draft.startsAt).toISOString();
  const metadata = checkJson(draft.metadata, METADATA_LIMITS);
  if (!metadata.ok) errors.metadata = metadata.message;
  else if (differs('metadata')) body.customMetaData = metadata.value;
  return Object.keys(errors).length > 0 ? { ok: false, errors } : { ok: true, body };
}

/** Fields that are checked while typing. */
export const LISTS = {
  permissions: permissionsProblem,
  allowedIPs: addressesProblem,
  tags: tagsProblem,
} as const;

function listOf(text: string): string[] | null {
  const items = itemsOf(text);
  return items.length === 0 ? null : items;
}

const SERVER_FIELDS: Partial<Record<string, keyof KeyDraft>> = {
  name: 'name',
  customAccountId: 'customAccountId',
  customUserId: 'customUserId',
  expiry: 'expiry',
  rateLimitConfigs: 'limit',
  allowedDomains: 'allowedDomains',
  permissions: 'permissions',
  allowedIPs: 'allowedIPs',
  startsAt: 'startsAt',
  tags: 'tags',
};

/** The error of the server by field; null if it does not concern a field. */
export function serverErrors(message: string | null, field: string | null): DraftErrors | null {
  const own = field === null ? undefined : SERVER_FIELDS[field];
  if (message === null || own === undefined) return null;
  if (own === 'allowedDomains')
    return {
      allowedDomains: 'Enter domains such as app.example.com or *.example.org, one per line.',
    };
  return { [own]: message };
}

/** Errors of the fields that did not change: editing a field clears its error. */
export const remainingErrors = (
  errors: DraftErrors,
  before: KeyDraft,
  after: KeyDraft,
): DraftErrors =>
  Object.fromEntries(
    Object.entries(errors).filter(([field]) => {
      const name = field as keyof KeyDraft;
      return before[name] === after[name];
    }),
  );
