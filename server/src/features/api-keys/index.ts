import type { Route } from '../../kernel/route.ts';
import type { KeyImporter } from './import/importer.ts';
import { createApiKey } from './routes/create-api-key.ts';
import { deleteApiKey } from './routes/delete-api-key.ts';
import { getApiKey } from './routes/get-api-key.ts';
import { importApiKeys } from './routes/import-api-keys.ts';
import { listApiKeys } from './routes/list-api-keys.ts';
import { reactivateApiKey } from './routes/reactivate-api-key.ts';
import { rotateApiKey } from './routes/rotate-api-key.ts';
import { updateApiKey } from './routes/update-api-key.ts';
import type { ApiKeyService } from './service.ts';

export { firstUseEvents } from './first-use-events.ts';
export { KeyImporter } from './import/importer.ts';
export type { ImportAnswer } from './import/schema.ts';
export { validatedKey } from './record.ts';
export { ApiKey, ValidatedKey } from './schema.ts';
export { ApiKeyService } from './service.ts';
export {
  findKey,
  type KeyRow,
  keyByHash,
  keysOfReport,
  limitGroups,
} from './store.ts';

export const apiKeyRoutes = (service: ApiKeyService, importer: KeyImporter): Route[] => [
  createApiKey(service),
  listApiKeys(service),
  getApiKey(service),
  updateApiKey(service),
  deleteApiKey(service),
  reactivateApiKey(service),
  rotateApiKey(service),
  importApiKeys(importer),
];
