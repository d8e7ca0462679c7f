import type { Context } from '@keyward/rules/credits/pool.ts';
import type { Selectable } from 'kysely';
import { KeywardError } from '../../../kernel/errors.ts';
import { createCheck } from '../../../kernel/json/check-value.ts';
import type { Secrets } from '../../../kernel/secrets/crypto.ts';
import { MASK_TAIL } from '../../../kernel/secrets/key-values.ts';
import { readTime } from '../../../kernel/time/read-time.ts';
import type { ApiKeysTable } from '../../../storage/schema/keys.ts';
import { newPool, type StoredPool } from '../../credits/index.ts';
import { storedValue } from '../../issued-keys/index.ts';
import { keyColumns } from '../record.ts';
import { checkCustomValue } from '../rules.ts';
import { readSha256 } from './key-hash.ts';
import { ImportApiKey } from './schema.ts';

/** The columns that do not depend on the project and the ids. */
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
  /** Set if the row contained the value, not a hash. */
  readonly value: string | undefined;
  /** Null: the key has no credits of its own. */
  readonly pool: StoredPool | null;
}

const wrongIn = createCheck(ImportApiKey, 'json', 'The row');

/** Checks a row without reading from storage; throws if it is invalid. */
export function checkRow(input: unknown, secrets: Secrets, context: Context): CheckedRow {
  const { now } = context;
  const wrong = wrongIn(input);
  if (wrong !== null) throw new KeywardError('invalid_body', wrong);
  const row = input as ImportApiKey;
  const createdAt = creationTime(row.createdAt, now);
  return {
    projectId: row.projectId,
    value: row.key,
    pool: row.credits ? newPool(row.credits, context) : null,
    columns: {
      ...identity(row, secrets),
      // The expiry may be in the past: an expired key stays expired.
      ...keyColumns.toInsert(row),
      is_active: row.isActive === false ? 0 : 1,
      rate_limit: row.rateLimitConfigs?.rateLimit ?? null,
      rate_limit_ttl: row.rateLimitConfigs?.rateLimitTtl ?? null,
      created_at: createdAt,
      updated_at: now,
    },
  };
}

/** Value and hash of the same key give the same stored hash. */
function identity(row: ImportApiKey, secrets: Secrets): { hash: string; mask: string } {
  if ((row.key === undefined) === (row.keyHash === undefined))
    throw new KeywardError('invalid_body', 'Send either key or keyHash in a row.');
  if (row.key !== undefined) {
    if (row.prefix !== undefined)
      throw new KeywardError('invalid_body', 'prefix is only allowed with keyHash.');
    checkCustomValue(row.key);
    return storedValue(secrets, row.key);
  }
  const sha256 = readSha256(row.keyHash!);
  if (sha256 === null)
    throw new KeywardError(
      'invalid_key_value',
      'keyHash must be a SHA-256 in hex, base64 or base64url.',
    );
  return { hash: secrets.hashDigest(sha256), mask: (row.prefix ?? '') + MASK_TAIL };
}

function creationTime(text: string | undefined, now: number): number {
  if (text === undefined) return now;
  const time = readTime('createdAt', text);
  if (time > now) throw new KeywardError('invalid_body', 'createdAt must not be in the future.');
  return time;
}
