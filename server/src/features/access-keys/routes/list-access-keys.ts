import { defineRoute } from '../../../kernel/route.ts';
import { AccessKey, ListAccessKeys } from '../schema.ts';
import type { AccessKeyService } from '../service.ts';

export const listAccessKeys = (service: AccessKeyService) =>
  defineRoute({
    method: 'GET',
    path: '/access-keys',
    operationId: 'listAccessKeys',
    tag: 'access-keys',
    summary: 'List access keys, newest first',
    access: 'access-keys:read',
    query: ListAccessKeys,
    reply: AccessKey,
    status: 200,
    list: true,
    errors: ['account_not_found'],
    handle: async ({ actor, query }) => service.list(actor.principal, query),
  });
