import { defineRoute } from '../../../kernel/route.ts';
import { ApiKey, KeyParams, UpdateApiKey } from '../schema.ts';
import type { ApiKeyService } from '../service.ts';

export const updateApiKey = (service: ApiKeyService) =>
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
  });
