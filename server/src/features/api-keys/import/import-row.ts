import type { Selectable } from 'kysely';
import { createCheck } from '../../../kernel/check-value.ts';
import { parseTime } from '../../../kernel/clock.ts';
import type { Secrets } from '../../../kernel/crypto.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { readExpiry } from '../../../kernel/expiry.ts';
import { MASK_TAIL, maskValue } from '../../../kernel/key-values.ts';
import type { ApiKeysTable } from '../../../storage/schema.ts';
import { checkOwnValue, domainsText, metadataText } from '../rules.ts';
import { readSha256 } from './key-hash.ts';
import { ImportApiKey } from './schema.ts';

/** What a row says, in the form that storage holds; where it goes and its id are not its own. */
type RowColumns = Omit<
  Selectable<ApiKeysTable>,
  | 'seq'
  | 'id'
  | 'account_id'
  | 'project_id'
  | 'limit_group'
  | 'creation_context'
  | 'rotated_from'
  | 'rotated_to'
>;

export interface CheckedRow {
  readonly projectId: string | undefined;
  readonly columns: RowColumns;
  /** Known where the row brought it. */
  readonly value: string | undefined;
}

const wrongIn = createCheck(ImportApiKey, 'json', 'The row');

/** Throws what is wrong with a row, without a look at the storage. */
export function checkRow(input: unknown, secrets: Secrets, now: number): CheckedRow {
  const wrong = wrongIn(input);
  if (wrong !== null) throw new KeywardError('invalid_body', wrong);
  const row = input as ImportApiKey;
  const createdAt = creationTime(row.createdAt, now);
  const expiry = oneExpiry(row);
  return {
    projectId: row.projectId,
    value: row.key,
    columns: {
      name: row.name,
      ...identity(row, secrets),
      custom_meta_data: metadataText(row.customMetaData ?? undefined),
      custom_account_id: row.customAccountId ?? null,
      custom_user_id: row.customUserId ?? null,
      is_active: row.isActive === false ? 0 : 1,
      // May lie in the past: an expired key is told as expired here as it was where it comes from.
      expires_at: expiry ? readExpiry(expiry, null) : null,
      rate_limit: row.rateLimitConfigs?.rateLimit ?? null,
      rate_limit_ttl: row.rateLimitConfigs?.rateLimitTtl ?? null,
      allowed_domains: domainsText(row.allowedDomains),
      created_at: createdAt,
      updated_at: now,
    },
  };
}

/** Both forms of the same key lead to the same hash. */
function identity(row: ImportApiKey, secrets: Secrets): { hash: string; mask: string } {
  if ((row.key === undefined) === (row.keyHash === undefined))
    throw new KeywardError('invalid_body', 'A row has either key or keyHash.');
  if (row.key !== undefined) {
    if (row.prefix !== undefined)
      throw new KeywardError('invalid_body', 'prefix goes with keyHash; of a key it is known.');
    checkOwnValue(row.key);
    return { hash: secrets.hashValue(row.key), mask: maskValue(row.key) };
  }
  const sha256 = readSha256(row.keyHash!);
  if (sha256 === null)
    throw new KeywardError(
      'invalid_key_value',
      'keyHash must be a SHA-256 in hex, base64 or base64url.',
    );
  return { hash: secrets.hashDigest(sha256), mask: (row.prefix ?? '') + MASK_TAIL };
}

function oneExpiry({ expiry, expiresAt }: ImportApiKey): string | null {
  if (expiry !== undefined && expiresAt !== undefined)
    throw new KeywardError('invalid_body', 'A row has either expiry or expiresAt.');
  return expiry ?? expiresAt ?? null;
}

function creationTime(text: string | undefined, now: number): number {
  if (text === undefined) return now;
  const time = parseTime(text);
  if (time === null)
    throw new KeywardError(
      'invalid_body',
      'createdAt must be an ISO 8601 date-time, a date, or YYYY-MM-DD HH:mm:ss.',
    );
  if (time > now) throw new KeywardError('invalid_body', 'createdAt must not lie in the future.');
  return time;
}
