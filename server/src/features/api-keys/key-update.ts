import { rateLimitColumns } from '../../kernel/schemas.ts';
import type { Secrets } from '../../kernel/secrets/crypto.ts';
import { differences } from '../fields/index.ts';
import { storedValue } from '../issued-keys/index.ts';
import { keyColumns } from './record.ts';
import type { PatchApiKey } from './schema.ts';
import type { KeyFields } from './store.ts';

/** The columns that an update changes; null if none. */
export const updateOf = (row: KeyFields, input: PatchApiKey, secrets: Secrets) =>
  differences(row, {
    // An update may set an expiry in the past, to end a key as of a certain time.
    ...keyColumns.toUpdate(input),
    ...rateLimitColumns(input.rateLimitConfigs),
    ...(input.key !== undefined && storedValue(secrets, input.key)),
  });
