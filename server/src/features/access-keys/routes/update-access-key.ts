import { defineRoute } from '../../../kernel/route.ts';
import { AccessKey, AccessKeyParams, UpdateAccessKey } from '../schema.ts';
import type { AccessKeyService } from '../service.ts';

export const updateAccessKey = (service: AccessKeyService) =>
  defineRoute({
    method: 'PATCH',
    path: '/access-keys/:key',
    operationId: 'updateAccessKey',
    tag: 'access-keys',
    summary: 'Update an access key',
    description: 'What is left out stays as it is; `null` clears.',
    access: 'access-keys:write',
    params: AccessKeyParams,
    body: UpdateAccessKey,
    reply: AccessKey,
    status: 200,
    errors: ['access_key_not_found', 'grant_exceeds_own'],
    handle: async ({ actor, params, body }) => service.update(actor, params.key, body),
  });
