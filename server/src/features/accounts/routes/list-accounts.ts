import { defineRoute } from '../../../kernel/route.ts';
import { PageQuery, strict } from '../../../kernel/schemas.ts';
import { Account } from '../schema.ts';
import type { AccountService } from '../service.ts';

export const listAccounts = (service: AccountService) =>
  defineRoute({
    method: 'GET',
    path: '/accounts',
    operationId: 'listAccounts',
    tag: 'accounts',
    summary: 'List the accounts that the caller belongs to',
    access: 'accounts:read',
    personal: true,
    query: strict({ ...PageQuery }),
    reply: Account,
    status: 200,
    list: true,
    handle: ({ actor, query }) => service.list(actor.principal, query),
  });
