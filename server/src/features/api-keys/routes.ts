import { defineRoute, type Route } from '../../kernel/route.ts';
import { Deleted } from '../../kernel/schemas.ts';
import type { KeyImporter } from './import/importer.ts';
import { IMPORT_BODY_BYTES_MAX } from './import/limits.ts';
import { DescribedImport, ImportAnswer, ImportApiKeys } from './import/schema.ts';
import {
  ApiKey,
  CreateApiKey,
  DeleteApiKeyQuery,
  KeyParams,
  ListApiKeys,
  RotateApiKey,
  UpdateApiKey,
} from './schema.ts';
import type { ApiKeyService } from './service.ts';

export const apiKeyRoutes = (service: ApiKeyService, importer: KeyImporter): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api-keys',
    operationId: 'createApiKey',
    tag: 'auth_api_v1',
    summary: 'Create an API key',
    description:
      'The answer is the only place where the whole value is shown. `projectId` defaults to the project of the access key, else to the only active project of the account.',
    access: 'keys:write',
    body: CreateApiKey,
    reply: ApiKey,
    status: 201,
    creates: true,
    errors: [
      'invalid_key_value',
      'project_required',
      'project_not_found',
      'project_inactive',
      'key_exists',
    ],
    handle: ({ actor, body, idempotency }) => service.create(actor, body, idempotency),
  }),
  defineRoute({
    method: 'GET',
    path: '/api-keys',
    operationId: 'listApiKeys',
    tag: 'api-keys',
    summary: 'List API keys, newest first',
    description:
      'Or in the order of `sort`. Filters narrow together. What changes its place while one pages through an order is met twice or not at all; the order by `createdAt` never moves.',
    access: 'keys:read',
    query: ListApiKeys,
    reply: ApiKey,
    status: 200,
    list: true,
    handle: ({ actor, query }) => service.list(actor.principal, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/api-keys/:key',
    operationId: 'getApiKey',
    tag: 'api-keys',
    summary: 'Read an API key',
    access: 'keys:read',
    params: KeyParams,
    reply: ApiKey,
    status: 200,
    errors: ['key_not_found'],
    handle: ({ actor, params }) => service.get(actor.principal, params.key),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api-keys/:key',
    operationId: 'updateApiKey',
    tag: 'auth_api_v1',
    summary: 'Update an API key',
    description:
      'What is left out stays as it is, `null` clears, `customMetaData` is replaced whole. With a new `key` the old value stops working at once.',
    access: 'keys:write',
    params: KeyParams,
    body: UpdateApiKey,
    reply: ApiKey,
    status: 200,
    errors: ['invalid_key_value', 'key_not_found', 'key_exists'],
    handle: ({ actor, params, body }) => service.update(actor, params.key, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api-keys/:key',
    operationId: 'deleteApiKey',
    tag: 'api-keys',
    summary: 'Revoke an API key, or erase it',
    description:
      'A revoked key can be reactivated. An erased one is gone. Either is in force when the answer arrives.',
    access: 'keys:write',
    params: KeyParams,
    query: DeleteApiKeyQuery,
    reply: Deleted,
    status: 200,
    errors: ['key_not_found'],
    async handle({ actor, params, query }) {
      if (query.permanent) await service.erase(actor, params.key);
      else await service.revoke(actor, params.key);
      return true;
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api-keys/:key/reactivate',
    operationId: 'reactivateApiKey',
    tag: 'auth_api_v1',
    summary: 'Reactivate a revoked API key',
    description: 'An expired key stays refused until its expiry is moved.',
    access: 'keys:write',
    params: KeyParams,
    reply: ApiKey,
    status: 200,
    errors: ['key_not_found'],
    handle: ({ actor, params }) => service.reactivate(actor, params.key),
  }),
  defineRoute({
    method: 'POST',
    path: '/api-keys/:key/rotate',
    operationId: 'rotateApiKey',
    tag: 'api-keys',
    summary: 'Replace an API key by one with a new value',
    description:
      'The old key stops at once, or after `graceSeconds`. Both count in one rate-limit window.',
    access: 'keys:write',
    params: KeyParams,
    body: RotateApiKey,
    reply: ApiKey,
    status: 201,
    creates: true,
    errors: ['key_not_found', 'key_inactive', 'project_inactive'],
    handle: ({ actor, params, body, idempotency }) =>
      service.rotate(actor, params.key, body?.graceSeconds ?? 0, idempotency),
  }),
  defineRoute({
    method: 'POST',
    path: '/api-keys/import',
    operationId: 'importApiKeys',
    tag: 'api-keys',
    summary: 'Import keys that were made elsewhere',
    description:
      'Up to 1,000 rows and 1 MB a call, each row a key by its value or by the SHA-256 of its value. A wrong row refuses only itself. The same call again changes nothing: what is there already is answered as `exists`. All rows of a call are written together or, when the call fails, not at all.',
    access: 'keys:write',
    body: ImportApiKeys,
    describedBody: DescribedImport,
    bodyBytesMax: IMPORT_BODY_BYTES_MAX,
    reply: ImportAnswer,
    status: 200,
    errors: ['project_not_found', 'project_inactive', 'key_exists'],
    handle: ({ actor, body }) => importer.run(actor, body),
  }),
];
