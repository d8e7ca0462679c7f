import { defineRoute } from '../../../../kernel/route.ts';
import { Deleted } from '../../../../kernel/schemas.ts';
import { PersonParams } from '../schema.ts';
import type { OperatorService } from '../service.ts';

export const deleteSecondFactor = (operator: OperatorService) =>
  defineRoute({
    method: 'DELETE',
    path: '/users/:id/second-factor',
    operationId: 'deleteSecondFactor',
    tag: 'people',
    summary: 'Switch off a second factor that was lost',
    description:
      'For the operator, with `npx keyward people reset-second-factor`. Every session of the person ends.',
    access: 'accounts:write',
    params: PersonParams,
    reply: Deleted,
    status: 200,
    errors: ['operator_only', 'user_not_found'],
    async handle({ actor, params }) {
      await operator.dropSecondFactor(actor, params.id);
      return true;
    },
  });
