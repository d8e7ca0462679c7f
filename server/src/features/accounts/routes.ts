import { defineRoute, type Route } from '../../kernel/route.ts';
import { AccountParams, PageQuery, strict } from '../../kernel/schemas.ts';
import { Account, AccountName } from './schema.ts';
import type { AccountService } from './service.ts';

export const accountRoutes = (service: AccountService): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/accounts',
    operationId: 'createAccount',
    tag: 'accounts',
    summary: 'Create an account',
    description: 'For any signed-in user, and for the CLI of the operator. Access keys get 403.',
    example: { body: { name: 'Acme Labs' } },
    access: 'accounts:write',
    personal: true,
    body: AccountName,
    reply: Account,
    status: 201,
    creates: true,
    errors: ['people_only'],
    handle: ({ actor, body, idempotency }) => service.create(actor, body.name, idempotency),
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts',
    operationId: 'listAccounts',
    tag: 'accounts',
    summary: 'List the accounts that the caller belongs to',
    description:
      'For an access key, this is the account that it belongs to. For a person, it is every account in which they have a role.',
    example: { query: { limit: 10 }, keeps: ['ACCOUNT_ID', 'id'] },
    access: 'accounts:read',
    personal: true,
    query: strict({ ...PageQuery }),
    reply: Account,
    status: 200,
    list: true,
    handle: ({ actor, query }) => service.list(actor.principal, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:id',
    operationId: 'getAccount',
    tag: 'auth_api_v1',
    summary: 'Retrieve an account',
    description:
      'The account that the access key belongs to, or one in which the person has a role.',
    example: { params: { id: '$ACCOUNT_ID' } },
    access: 'accounts:read',
    params: AccountParams,
    reply: Account,
    status: 200,
    errors: ['account_not_found'],
    handle: ({ actor, params }) => service.get(actor.principal, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/accounts/:id',
    operationId: 'updateAccount',
    tag: 'accounts',
    summary: 'Rename an account',
    description:
      'The name is shown in the dashboard and in invitations. Everything else of an account follows from its projects and members.',
    example: { params: { id: '$ACCOUNT_ID' }, body: { name: 'Acme' } },
    access: 'accounts:write',
    params: AccountParams,
    body: AccountName,
    reply: Account,
    status: 200,
    errors: ['account_not_found', 'level_too_low'],
    handle: ({ actor, params, body }) => service.rename(actor, params.id, body.name),
  }),
];
