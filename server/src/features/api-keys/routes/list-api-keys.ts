import { defineRoute } from '../../../kernel/route.ts';
import { ApiKey, ListApiKeys } from '../schema.ts';
import type { ApiKeyService } from '../service.ts';

export const listApiKeys = (service: ApiKeyService) =>
  defineRoute({
    method: 'GET',
    path: '/api-keys',
    operationId: 'listApiKeys',
    tag: 'api-keys',
    summary: 'List API keys, newest first',
    description:
      'Or in the order of `sort`. Filters narrow together. What changes its place while one pages through an order is met twice or not at all; the order by `createdAt` never moves.',
    access: 'keys:read',
    query: ListApiKeys,
    reply: ApiKey,
    status: 200,
    list: true,
    handle: ({ actor, query }) => service.list(actor.principal, query),
  });
