import type { BodyOf } from 'keyward';
import type { ApiKey } from '../../../api/records.ts';
import { checkJson, formatJson, METADATA_LIMITS } from '../../../text/check-json.ts';
import { chosenExpiry, type ExpiryChoice, expiryChoice, NEVER } from '../../../text/expiry.ts';
import { chosenLimit, type LimitChoice, limitChoice } from '../../../text/limits.ts';

/** A key as it is being written: everything is text until it is sent. */
export interface KeyDraft {
  readonly name: string;
  readonly customAccountId: string;
  readonly customUserId: string;
  readonly expiry: ExpiryChoice;
  readonly limit: LimitChoice;
  /** One on each line. */
  readonly allowedDomains: string;
  readonly metadata: string;
}

export type DraftErrors = Partial<Record<keyof KeyDraft, string>>;

type Body = Omit<BodyOf<'updateApiKey'>, 'key'>;

export const EMPTY_DRAFT: KeyDraft = {
  name: '',
  customAccountId: '',
  customUserId: '',
  expiry: NEVER,
  limit: limitChoice(null),
  allowedDomains: '',
  metadata: '{}',
};

export const draftOf = (key: ApiKey): KeyDraft => ({
  name: key.name,
  customAccountId: key.customAccountId ?? '',
  customUserId: key.customUserId ?? '',
  expiry: expiryChoice(key.expiresAt),
  limit: limitChoice(key.rateLimitConfigs),
  allowedDomains: key.allowedDomains?.join('\n') ?? '',
  metadata: formatJson(key.customMetaData),
});

export type CheckedDraft =
  | { readonly ok: true; readonly body: Body }
  | { readonly ok: false; readonly errors: DraftErrors };

/** What to send: only what differs from `before`, so that nobody else's change is written over. */
export function checkDraft(draft: KeyDraft, before: KeyDraft, now: number): CheckedDraft {
  const errors: DraftErrors = {};
  const differs = (field: keyof KeyDraft) =>
    JSON.stringify(draft[field]) !== JSON.stringify(before[field]);
  // A name with spaces around it stays as it is until somebody changes it.
  const name = differs('name') ? draft.name.trim() : draft.name;
  if (name === '') errors.name = 'Give it a name, so that you know it again.';
  const body: Body = { name };
  if (differs('customAccountId')) body.customAccountId = draft.customAccountId.trim() || null;
  if (differs('customUserId')) body.customUserId = draft.customUserId.trim() || null;
  if (differs('expiry')) {
    const expiry = chosenExpiry(draft.expiry, now);
    if (expiry === undefined) errors.expiry = 'Choose a day and a time.';
    else if (expiry !== null && Date.parse(expiry) <= now)
      errors.expiry = 'This is in the past. To stop a key now, revoke it.';
    else body.expiry = expiry;
  }
  if (differs('limit')) {
    const limit = chosenLimit(draft.limit);
    if (limit.ok) body.rateLimitConfigs = limit.configs;
    else errors.limit = limit.message;
  }
  if (differs('allowedDomains')) body.allowedDomains = domainsOf(draft.allowedDomains);
  const metadata = checkJson(draft.metadata, METADATA_LIMITS);
  if (!metadata.ok) errors.metadata = metadata.message;
  else if (differs('metadata')) body.customMetaData = metadata.value;
  return Object.keys(errors).length > 0 ? { ok: false, errors } : { ok: true, body };
}

function domainsOf(text: string): string[] | null {
  const domains = text.split(/[\s,]+/).filter(Boolean);
  return domains.length === 0 ? null : domains;
}
