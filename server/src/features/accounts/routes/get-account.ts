import { defineRoute } from '../../../kernel/route.ts';
import { Account, AccountParams } from '../schema.ts';
import type { AccountService } from '../service.ts';

export const getAccount = (service: AccountService) =>
  defineRoute({
    method: 'GET',
    path: '/accounts/:id',
    operationId: 'getAccount',
    tag: 'auth_api_v1',
    summary: 'Read an account',
    access: 'accounts:read',
    params: AccountParams,
    reply: Account,
    status: 200,
    errors: ['account_not_found'],
    handle: ({ actor, params }) => service.get(actor.principal, params.id),
  });
