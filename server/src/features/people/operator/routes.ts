import { defineRoute, type Route } from '../../../kernel/route.ts';
import { AccountParams, Deleted, deleted } from '../../../kernel/schemas.ts';
import { OneTimeLink, PersonParams } from './schema.ts';
import type { OperatorService } from './service.ts';

export const operatorRoutes = (operator: OperatorService): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/accounts/:id/owner-links',
    operationId: 'createOwnerLink',
    tag: 'people',
    summary: 'Create a one-time link for a new owner of an account',
    description: 'For the operator only. Used by `npx keyward owner-link`.',
    example: {
      params: { id: '$ACCOUNT_ID' },
      needs: 'the signature of the operator',
      response: {
        link: 'https://keys.example.com/dashboard/setup#token=…',
        expiresAt: '2030-01-02T00:00:00.000Z',
      },
    },
    access: 'accounts:write',
    params: AccountParams,
    reply: OneTimeLink,
    status: 201,
    errors: ['operator_only', 'account_not_found'],
    handle: ({ actor, params }) => operator.ownerLink(actor, params.id),
  }),
  defineRoute({
    method: 'POST',
    path: '/users/:id/password-links',
    operationId: 'createPasswordLink',
    tag: 'people',
    summary: 'Create a one-time link to set a new password',
    description: 'For the operator only. Used by `npx keyward people reset-password`.',
    example: {
      params: { id: '$USER_ID' },
      needs: 'the signature of the operator',
      response: {
        link: 'https://keys.example.com/dashboard/reset-password#token=…',
        expiresAt: '2030-01-02T00:00:00.000Z',
      },
    },
    access: 'accounts:write',
    params: PersonParams,
    reply: OneTimeLink,
    status: 201,
    errors: ['operator_only', 'user_not_found'],
    handle: (call) => operator.passwordLink(call, call.params.id),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/users/:id/second-factor',
    operationId: 'deleteSecondFactor',
    tag: 'people',
    summary: 'Remove the second factor of a user',
    description:
      'For users who have lost their second factor. For the operator only; used by `npx keyward people reset-second-factor`. Ends all sessions of the user.',
    example: { params: { id: '$USER_ID' }, needs: 'the signature of the operator', response: true },
    access: 'accounts:write',
    params: PersonParams,
    reply: Deleted,
    status: 200,
    errors: ['operator_only', 'user_not_found'],
    handle: ({ actor, params }) => deleted(operator.dropSecondFactor(actor, params.id)),
  }),
];
