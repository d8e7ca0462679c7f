import { defineRoute } from '../../../kernel/route.ts';
import { AccessKey, AccessKeyParams, RotateAccessKey } from '../schema.ts';
import type { AccessKeyService } from '../service.ts';

export const rotateAccessKey = (service: AccessKeyService) =>
  defineRoute({
    method: 'POST',
    path: '/access-keys/:key/rotate',
    operationId: 'rotateAccessKey',
    tag: 'access-keys',
    summary: 'Replace an access key by one with a new value',
    description: 'The old value stops at once, or after `graceSeconds`.',
    access: 'access-keys:write',
    params: AccessKeyParams,
    body: RotateAccessKey,
    reply: AccessKey,
    status: 201,
    creates: true,
    errors: ['access_key_not_found', 'grant_exceeds_own', 'key_inactive', 'project_inactive'],
    handle: ({ actor, params, body, idempotency }) =>
      service.rotate(actor, params.key, body?.graceSeconds ?? 0, idempotency),
  });
