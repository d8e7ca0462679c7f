import { defineRoute } from '../../../kernel/route.ts';
import { Deleted } from '../../../kernel/schemas.ts';
import { DeleteApiKeyQuery, KeyParams } from '../schema.ts';
import type { ApiKeyService } from '../service.ts';

export const deleteApiKey = (service: ApiKeyService) =>
  defineRoute({
    method: 'DELETE',
    path: '/api-keys/:key',
    operationId: 'deleteApiKey',
    tag: 'api-keys',
    summary: 'Revoke an API key, or erase it',
    description:
      'A revoked key can be reactivated. An erased one is gone. Either is in force when the answer arrives.',
    access: 'keys:write',
    params: KeyParams,
    query: DeleteApiKeyQuery,
    reply: Deleted,
    status: 200,
    errors: ['key_not_found'],
    async handle({ actor, params, query }) {
      if (query.permanent) await service.erase(actor, params.key);
      else await service.revoke(actor, params.key);
      return true;
    },
  });
