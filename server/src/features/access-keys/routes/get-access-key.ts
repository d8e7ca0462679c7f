import { defineRoute } from '../../../kernel/route.ts';
import { AccessKey, AccessKeyParams } from '../schema.ts';
import type { AccessKeyService } from '../service.ts';

export const getAccessKey = (service: AccessKeyService) =>
  defineRoute({
    method: 'GET',
    path: '/access-keys/:key',
    operationId: 'getAccessKey',
    tag: 'access-keys',
    summary: 'Read an access key',
    access: 'access-keys:read',
    params: AccessKeyParams,
    reply: AccessKey,
    status: 200,
    errors: ['access_key_not_found'],
    handle: ({ actor, params }) => service.get(actor.principal, params.key),
  });
