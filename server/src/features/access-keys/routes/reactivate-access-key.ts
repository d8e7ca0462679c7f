import { defineRoute } from '../../../kernel/route.ts';
import { AccessKey, AccessKeyParams } from '../schema.ts';
import type { AccessKeyService } from '../service.ts';

export const reactivateAccessKey = (service: AccessKeyService) =>
  defineRoute({
    method: 'PATCH',
    path: '/access-keys/:key/reactivate',
    operationId: 'reactivateAccessKey',
    tag: 'access-keys',
    summary: 'Reactivate a revoked access key',
    access: 'access-keys:write',
    params: AccessKeyParams,
    reply: AccessKey,
    status: 200,
    errors: ['access_key_not_found', 'grant_exceeds_own'],
    handle: ({ actor, params }) => service.reactivate(actor, params.key),
  });
