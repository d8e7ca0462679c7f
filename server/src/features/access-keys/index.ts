export { CredentialChecks } from './credential-checks.ts';
export { CachedAccessKey, Keyring } from './keyring.ts';
export { accessKeyRoutes } from './routes.ts';
export { AccessKey } from './schema.ts';
export { AccessKeyService, accessKeyColumns, accessKeyRecord } from './service.ts';
export { accessKeyByHash, accessKeyPrincipal, findAccessKey } from './store.ts';
