import { defineRoute } from '../../../kernel/route.ts';
import { ApiKey, KeyParams } from '../schema.ts';
import type { ApiKeyService } from '../service.ts';

export const reactivateApiKey = (service: ApiKeyService) =>
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
  });
