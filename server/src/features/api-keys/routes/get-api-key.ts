import { defineRoute } from '../../../kernel/route.ts';
import { ApiKey, KeyParams } from '../schema.ts';
import type { ApiKeyService } from '../service.ts';

export const getApiKey = (service: ApiKeyService) =>
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
  });
