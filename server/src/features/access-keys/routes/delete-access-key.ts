import { defineRoute } from '../../../kernel/route.ts';
import { Deleted } from '../../../kernel/schemas.ts';
import { AccessKeyParams } from '../schema.ts';
import type { AccessKeyService } from '../service.ts';

export const deleteAccessKey = (service: AccessKeyService) =>
  defineRoute({
    method: 'DELETE',
    path: '/access-keys/:key',
    operationId: 'deleteAccessKey',
    tag: 'access-keys',
    summary: 'Revoke an access key',
    access: 'access-keys:write',
    params: AccessKeyParams,
    reply: Deleted,
    status: 200,
    errors: ['access_key_not_found'],
    async handle({ actor, params }) {
      await service.revoke(actor, params.key);
      return true;
    },
  });
