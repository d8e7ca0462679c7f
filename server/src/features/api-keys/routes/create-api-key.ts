import { defineRoute } from '../../../kernel/route.ts';
import { ApiKey, CreateApiKey } from '../schema.ts';
import type { ApiKeyService } from '../service.ts';

export const createApiKey = (service: ApiKeyService) =>
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
  });
