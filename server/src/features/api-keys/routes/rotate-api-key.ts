import { defineRoute } from '../../../kernel/route.ts';
import { ApiKey, KeyParams, RotateApiKey } from '../schema.ts';
import type { ApiKeyService } from '../service.ts';

export const rotateApiKey = (service: ApiKeyService) =>
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
  });
