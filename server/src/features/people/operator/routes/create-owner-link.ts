import { defineRoute } from '../../../../kernel/route.ts';
import { AccountParams, OneTimeLink } from '../schema.ts';
import type { OperatorService } from '../service.ts';

export const createOwnerLink = (operator: OperatorService) =>
  defineRoute({
    method: 'POST',
    path: '/accounts/:id/owner-links',
    operationId: 'createOwnerLink',
    tag: 'people',
    summary: 'A one-time link that makes an owner of an account',
    description: 'For the operator, with `npx keyward owner-link`.',
    access: 'accounts:write',
    params: AccountParams,
    reply: OneTimeLink,
    status: 201,
    errors: ['operator_only', 'account_not_found'],
    handle: ({ actor, params }) => operator.ownerLink(actor, params.id),
  });
