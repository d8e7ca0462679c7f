import { API_KEY } from '@keyward/rules/resources/api-key.ts';
import { rateLimitConfigs, rotation } from '../../kernel/schemas.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time/clock.ts';
import type { OutgoingEvent } from '../changes/index.ts';
import { columnsOf, without } from '../fields/index.ts';
import { listOrNull } from '../policies/index.ts';
import { type ApiKey, type ValidatedKey, validatedFields } from './schema.ts';
import type { KeyFields, KeyWithCredits } from './store.ts';

/** A key as a validation returns it. `value` is given only in the response that sets it. */
export function validatedKey(row: KeyFields, value?: string): ValidatedKey {
  return {
    id: row.id,
    projectId: row.project_id,
    key: value ?? row.mask,
    name: row.name,
    customMetaData: JSON.parse(row.custom_meta_data),
    customAccountId: row.custom_account_id,
    customUserId: row.custom_user_id,
    env: row.env,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    isActive: row.is_active === 1,
    expiresAt: isoTimeOrNull(row.expires_at),
    rateLimitConfigs: rateLimitConfigs(row),
    creationContext: JSON.parse(row.creation_context),
    allowedDomains: listOrNull(row.allowed_domains),
    ...(row.permissions !== null && { permissions: JSON.parse(row.permissions) }),
  };
}

export const keyColumns = columnsOf(API_KEY);

/** Read once, not in `validatedKey` too: metadata may be 16 KB of JSON. */
const otherColumns = columnsOf(without(API_KEY, validatedFields));

/** A key as management requests return it. */
export const apiKey = (row: KeyWithCredits, value?: string): ApiKey => ({
  ...validatedKey(row, value),
  ...otherColumns.read(row),
  firstUsedAt: isoTimeOrNull(row.first_used_at),
  lastUsedAt: isoTimeOrNull(row.last_used_at),
  ...rotation(row),
});

/** The part of an `api-key.created` event for subscribers that may create such a key. */
export const valuePart = (row: KeyFields, data: ApiKey): Pick<OutgoingEvent, 'withValue'> => ({
  withValue: {
    data,
    key: { kind: 'api-key', accountId: row.account_id, projectId: row.project_id },
  },
});

/** The joined columns of a key that was just created. */
export const NEW_KEY_JOINED = {
  first_used_at: null,
  last_used_at: null,
  project_is_active: 1 as const,
};
