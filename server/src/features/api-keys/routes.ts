import { KeywardError } from '../../kernel/errors.ts';
import { IMPORT_BODY_BYTES_MAX } from '../../kernel/import-limits.ts';
import { defineRoute, isMergePatch, MERGE_PATCH, type Route } from '../../kernel/route.ts';
import { Deleted, nullable } from '../../kernel/schemas.ts';
import {
  ChangeCredits,
  ChangedCredits,
  CreditStatement,
  CreditsWithGrants,
  STATEMENT_EXAMPLE,
  StatementQuery,
} from '../credits/index.ts';
import type { KeyImporter } from './import/importer.ts';
import { DescribedImport, ImportApiKeys, ImportResult } from './import/schema.ts';
import type { KeyReader } from './reader.ts';
import {
  ApiKey,
  ApiKeyCount,
  ApiKeyWithLevels,
  CountApiKeys,
  CreateApiKey,
  DeleteApiKeyQuery,
  FindApiKey,
  GetApiKeyQuery,
  KeyParams,
  ListApiKeys,
  PatchApiKey,
  RotateApiKey,
  UpdateApiKey,
} from './schema.ts';
import type { ApiKeyService } from './service.ts';

export const apiKeyRoutes = (
  reader: KeyReader,
  service: ApiKeyService,
  importer: KeyImporter,
): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api-keys',
    operationId: 'createApiKey',
    tag: 'auth_api_v1',
    summary: 'Create an API key',
    description:
      'The whole value is shown only in this response. `projectId` defaults to the project of the access key, or to the only active project of the account.',
    example: {
      body: {
        name: 'Ada, production',
        customAccountId: 'acme',
        permissions: ['documents.read'],
        rateLimitConfigs: { rateLimit: 100, rateLimitTtl: 60 },
        credits: { remaining: 1_000 },
      },
      keeps: ['KEY', 'key'],
    },
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
      'plan_not_found',
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
      'Use `sort` for another order. A key must match all filters. A key whose position changes while you read the pages may appear twice or not at all; this cannot happen when sorting by `createdAt`.',
    example: { query: { customAccountId: 'acme', limit: 10 } },
    access: 'keys:read',
    query: ListApiKeys,
    reply: ApiKey,
    status: 200,
    list: true,
    handle: ({ actor, query }) => reader.list(actor.principal, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/api-keys/count',
    operationId: 'countApiKeys',
    tag: 'api-keys',
    summary: 'Count API keys',
    description: 'Accepts the same filters as the list.',
    example: { query: { isActive: true } },
    access: 'keys:read',
    query: CountApiKeys,
    reply: ApiKeyCount,
    status: 200,
    handle: ({ actor, query }) => reader.count(actor.principal, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/api-keys/:key',
    operationId: 'getApiKey',
    tag: 'api-keys',
    summary: 'Retrieve an API key',
    description:
      'With `effective=true`, the response also has the settings that apply to the key through its customer and plan, and the level of each setting.',
    example: { params: { key: '$KEY' }, keeps: ['KEY_ID', 'id'] },
    access: 'keys:read',
    params: KeyParams,
    query: GetApiKeyQuery,
    reply: ApiKeyWithLevels,
    status: 200,
    errors: ['key_not_found'],
    handle: ({ actor, params, query }) =>
      query.effective
        ? reader.getEffective(actor.principal, params.key)
        : reader.get(actor.principal, params.key),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api-keys/:key',
    operationId: 'updateApiKey',
    tag: 'auth_api_v1',
    summary: 'Update an API key',
    description:
      'Fields that you omit are not changed, and `null` clears a field that accepts it. With `content-type: application/json`, `name` is required; with `application/merge-patch+json`, any field is enough. `customMetaData` is replaced as a whole. If you send a new `key`, the old value stops working immediately.',
    example: { params: { key: '$KEY' }, body: { name: 'Ada, staging', tags: ['internal'] } },
    access: 'keys:write',
    params: KeyParams,
    body: PatchApiKey,
    describedBody: UpdateApiKey,
    mergePatch: PatchApiKey,
    reply: ApiKey,
    status: 200,
    updates: true,
    errors: ['invalid_key_value', 'key_not_found', 'plan_not_found', 'key_exists'],
    handle({ actor, params, body, headers }) {
      if (body.name === undefined && !isMergePatch(headers))
        throw new KeywardError(
          'invalid_body',
          `name is missing. Send it, or send the changes alone as content-type ${MERGE_PATCH}.`,
        );
      return service.update(actor, params.key, body);
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api-keys/:key',
    operationId: 'deleteApiKey',
    tag: 'api-keys',
    summary: 'Revoke or erase an API key',
    description:
      'A revoked key can be reactivated. An erased key cannot be restored. Both take effect on this node before the response is sent, and on other nodes when they are notified.',
    example: { params: { key: '$NEW_KEY' } },
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
    description: 'The expiry is not changed: an expired key is refused until you set a later one.',
    example: { params: { key: '$KEY' } },
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
    summary: 'Rotate an API key',
    description:
      'Creates a key with a new value that replaces the old key. The old key stops working immediately, or after `graceSeconds`. Both keys share one rate-limit window.',
    example: { params: { key: '$KEY' }, body: { graceSeconds: 3_600 }, keeps: ['NEW_KEY', 'key'] },
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
    path: '/api-keys/:key/credits',
    operationId: 'changeApiKeyCredits',
    tag: 'api-keys',
    summary: 'Add or set credits of an API key',
    description:
      'Send either `add` or `set`. Creates the credits if the key has none of its own. The change is stored when the response arrives.',
    example: { params: { key: '$NEW_KEY' }, body: { add: 500 } },
    access: 'credits:write',
    params: KeyParams,
    body: ChangeCredits,
    reply: ChangedCredits,
    status: 200,
    creates: true,
    errors: ['key_not_found'],
    handle: ({ actor, params, body, idempotency }) =>
      service.changeCredits(actor, params.key, body, idempotency),
  }),
  defineRoute({
    method: 'GET',
    path: '/api-keys/:key/credits',
    operationId: 'getApiKeyCredits',
    tag: 'api-keys',
    summary: 'Retrieve the credits of an API key',
    description:
      'With the grants that have credits left, in the order in which they are spent. `null`: it has no credits of its own.',
    example: { params: { key: '$NEW_KEY' } },
    access: 'keys:read',
    params: KeyParams,
    reply: nullable(CreditsWithGrants),
    status: 200,
    errors: ['key_not_found'],
    handle: (call) => service.credits(call.actor.principal, call.params.key),
  }),
  defineRoute({
    method: 'GET',
    path: '/api-keys/:key/credits/statement',
    operationId: 'getApiKeyCreditStatement',
    tag: 'api-keys',
    summary: 'Retrieve the statement of credits of an API key',
    description:
      'What was granted, spent, expired and taken away in a period of whole days, and the balances before and after. They always add up. Begins with the upgrade to the version that has statements.',
    example: {
      params: { key: '$NEW_KEY' },
      query: { from: '2030-01-01', to: '2030-01-31' },
      response: STATEMENT_EXAMPLE,
    },
    access: 'keys:read',
    params: KeyParams,
    query: StatementQuery,
    reply: CreditStatement,
    status: 200,
    errors: ['key_not_found', 'query_too_large'],
    handle: (call) => service.statement(call.actor.principal, call.params.key, call.query),
  }),
  defineRoute({
    method: 'POST',
    path: '/api-keys/import',
    operationId: 'importApiKeys',
    tag: 'api-keys',
    summary: 'Import existing keys',
    description:
      'Imports up to 1,000 rows and 1 MB per request, and 128 KB for each row. Each row has the value of a key, or the SHA-256 of the value. An invalid row does not affect the others. Repeating a request is safe: existing keys are returned as `exists`. If the request fails, no row is imported.',
    example: {
      body: {
        keys: [
          { name: 'Made elsewhere', key: 'acme-key-made-elsewhere-0001', customAccountId: 'acme' },
        ],
      },
    },
    access: 'keys:write',
    body: ImportApiKeys,
    describedBody: DescribedImport,
    bodyBytesMax: IMPORT_BODY_BYTES_MAX,
    reply: ImportResult,
    status: 200,
    errors: ['project_not_found', 'project_inactive', 'plan_not_found', 'key_exists'],
    handle: ({ actor, body }) => importer.run(actor, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/api-keys/find',
    operationId: 'findApiKey',
    tag: 'api-keys',
    summary: 'Find an API key by the hash of its value',
    description:
      'For programs that should not send the value itself, such as a search field. Finds generated, imported and own values.',
    example: {
      body: { sha256: 'db35319d18b48ae0504161a11973d08f852e822bad1b635c6a19dd3611d09675' },
    },
    access: 'keys:read',
    body: FindApiKey,
    reply: ApiKey,
    status: 200,
    errors: ['key_not_found'],
    handle: ({ actor, body }) => reader.getByHash(actor.principal, body.sha256),
  }),
];
