import { defineRoute } from '../../../kernel/route.ts';
import { Account, AccountName } from '../schema.ts';
import type { AccountService } from '../service.ts';

export const createAccount = (service: AccountService) =>
  defineRoute({
    method: 'POST',
    path: '/accounts',
    operationId: 'createAccount',
    tag: 'accounts',
    summary: 'Create an account',
    description: 'For people and for the CLI of the operator; an access key gets 403.',
    access: 'accounts:write',
    personal: true,
    body: AccountName,
    reply: Account,
    status: 201,
    creates: true,
    errors: ['people_only'],
    handle: ({ actor, body, idempotency }) => service.create(actor, body.name, idempotency),
  });
