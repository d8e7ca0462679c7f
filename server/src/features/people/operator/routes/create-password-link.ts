import { defineRoute } from '../../../../kernel/route.ts';
import { OneTimeLink, PersonParams } from '../schema.ts';
import type { OperatorService } from '../service.ts';

export const createPasswordLink = (operator: OperatorService) =>
  defineRoute({
    method: 'POST',
    path: '/users/:id/password-links',
    operationId: 'createPasswordLink',
    tag: 'people',
    summary: 'A one-time link to set a new password',
    description: 'For the operator, with `npx keyward people reset-password`.',
    access: 'accounts:write',
    params: PersonParams,
    reply: OneTimeLink,
    status: 201,
    errors: ['operator_only', 'user_not_found'],
    handle: (call) => operator.passwordLink(call, call.params.id),
  });
