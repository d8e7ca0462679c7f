export { creditPoolOf } from './credits.ts';
export { firstUseEvents } from './first-use-events.ts';
export { KeyImporter } from './import/importer.ts';
export type { ImportResult } from './import/schema.ts';
export type { Condition } from './list-filters.ts';
export { keyPage } from './list-store.ts';
export { KeyReader } from './reader.ts';
export { apiKey, validatedKey } from './record.ts';
export { apiKeyRoutes } from './routes.ts';
export { ApiKey, KeyParams, RateLimits, ValidatedKey } from './schema.ts';
export { ApiKeyService, type CreationHooks } from './service.ts';
export {
  type CountedKey,
  countActiveKeys,
  countedKeys,
  customerLevels,
  findKey,
  findKeysOfAnyAccount,
  findKeyWithLevels,
  type KeyFields,
  type KeyRow,
  type KeyWithCredits,
  type KeyWithLevels,
  keyByHash,
  keysBySeq,
  keysOfReport,
} from './store.ts';
