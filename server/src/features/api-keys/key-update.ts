import type { Updateable } from 'kysely';
import { rateLimitColumns } from '../../kernel/schemas.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { readExpiry } from '../../kernel/time/expiry.ts';
import type { ApiKeysTable } from '../../storage/schema/keys.ts';
import { storedValue } from '../issued-keys/index.ts';
import { changedLevelColumns, tagsText } from '../policies/index.ts';
import { domainsText, metadataText, startTime } from './rules.ts';
import type { UpdateApiKey } from './schema.ts';
import type { KeyFields } from './store.ts';

type Columns = Pick<
  KeyFields,
  | 'name'
  | 'hash'
  | 'mask'
  | 'custom_meta_data'
  | 'custom_account_id'
  | 'custom_user_id'
  | 'expires_at'
  | 'rate_limit'
  | 'rate_limit_ttl'
  | 'allowed_domains'
  | 'permissions'
  | 'limits'
  | 'allowed_ips'
  | 'plan_id'
  | 'starts_at'
  | 'tags'
>;

/** The columns that an update changes; null if none. */
export function updateOf(
  row: KeyFields,
  input: UpdateApiKey,
  secrets: Secrets,
): (Updateable<ApiKeysTable> & Partial<Columns>) | null {
  const wanted: Partial<Columns> = {
    name: input.name,
    ...rateLimitColumns(input.rateLimitConfigs),
    ...changedLevelColumns(input),
    ...(input.key !== undefined && storedValue(secrets, input.key)),
  };
  if (input.customMetaData !== undefined)
    wanted.custom_meta_data = metadataText(input.customMetaData);
  if (input.customAccountId !== undefined) wanted.custom_account_id = input.customAccountId;
  if (input.customUserId !== undefined) wanted.custom_user_id = input.customUserId;
  // An update may set an expiry in the past, to end a key as of a certain time.
  if (input.expiry !== undefined)
    wanted.expires_at = input.expiry === null ? null : readExpiry(input.expiry, null);
  if (input.allowedDomains !== undefined)
    wanted.allowed_domains = domainsText(input.allowedDomains);
  if (input.planId !== undefined) wanted.plan_id = input.planId;
  if (input.startsAt !== undefined) wanted.starts_at = startTime(input.startsAt);
  if (input.tags !== undefined) wanted.tags = tagsText(input.tags);
  const changed = Object.entries(wanted).filter(
    ([column, value]) => row[column as keyof Columns] !== value,
  );
  return changed.length === 0 ? null : Object.fromEntries(changed);
}
