import type { Route } from '../../kernel/route.ts';
import { createAccessKey } from './routes/create-access-key.ts';
import { deleteAccessKey } from './routes/delete-access-key.ts';
import { getAccessKey } from './routes/get-access-key.ts';
import { listAccessKeys } from './routes/list-access-keys.ts';
import { reactivateAccessKey } from './routes/reactivate-access-key.ts';
import { rotateAccessKey } from './routes/rotate-access-key.ts';
import { updateAccessKey } from './routes/update-access-key.ts';
import type { AccessKeyService } from './service.ts';

export { HeldAccessKey, Keyring } from './keyring.ts';
export { AccessKey } from './schema.ts';
export { AccessKeyService, accessKeyRecord } from './service.ts';
export { accessKeyByHash, accessKeyPrincipal } from './store.ts';

export const accessKeyRoutes = (service: AccessKeyService): Route[] => [
  createAccessKey(service),
  listAccessKeys(service),
  getAccessKey(service),
  updateAccessKey(service),
  deleteAccessKey(service),
  reactivateAccessKey(service),
  rotateAccessKey(service),
];
