import { defineRoute } from '../../../kernel/route.ts';
import { Account, AccountName, AccountParams } from '../schema.ts';
import type { AccountService } from '../service.ts';

export const updateAccount = (service: AccountService) =>
  defineRoute({
    method: 'PATCH',
    path: '/accounts/:id',
    operationId: 'updateAccount',
    tag: 'accounts',
    summary: 'Rename an account',
    access: 'accounts:write',
    params: AccountParams,
    body: AccountName,
    reply: Account,
    status: 200,
    errors: ['account_not_found', 'level_too_low'],
    handle: ({ actor, params, body }) => service.rename(actor, params.id, body.name),
  });
