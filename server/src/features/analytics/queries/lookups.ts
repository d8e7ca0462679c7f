import { type Principal, requireScope, type Tenant, tenantOf } from '../../../kernel/authority.ts';
import { KeywardError } from '../../../kernel/errors.ts';
import { isIdOf } from '../../../kernel/ids.ts';
import type { Secrets } from '../../../kernel/secrets/crypto.ts';
import { shapeOf } from '../../../kernel/secrets/key-values.ts';
import type { Storage } from '../../../storage/index.ts';
import { findKey, type KeyRow } from '../../api-keys/index.ts';
import { requireProject } from '../../projects/index.ts';

export interface LookupParts {
  readonly storage: Storage;
  readonly secrets: Secrets;
}

/** Throws unless the caller may read the counts of the project. */
export async function requireReadableProject(
  { storage }: LookupParts,
  principal: Principal,
  projectId: string,
): Promise<void> {
  const { accountId } = tenantOf(principal);
  await requireProject(storage.point, accountId, projectId);
  requireScope(principal, 'analytics:read', { accountId, projectId }, 'project_not_found');
}

/** A key of the tenant, by its value or its id. */
export async function requireKey(
  { storage, secrets }: LookupParts,
  tenant: Tenant,
  key: string,
): Promise<KeyRow> {
  const reference = isIdOf('key', key)
    ? { id: key }
    : shapeOf(key) === 'malformed'
      ? null
      : { hash: secrets.hashValue(key) };
  const row = reference && (await findKey(storage.point, tenant, reference));
  if (!row) throw new KeywardError('key_not_found');
  return row;
}

/** The text `null` selects keys without a value, as in the list of keys. */
export const textFilter = (text: string | undefined): string | null | undefined =>
  text === 'null' ? null : text;
