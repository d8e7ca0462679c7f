import { defineRoute } from '../../../../kernel/route.ts';
import { Deleted } from '../../../../kernel/schemas.ts';
import { LeaveParams } from '../schema.ts';
import type { MembershipService } from '../service.ts';

export const leaveAccount = (members: MembershipService) =>
  defineRoute({
    method: 'DELETE',
    path: '/me/accounts/:id',
    operationId: 'leaveAccount',
    tag: 'people',
    summary: 'Leave an account',
    access: 'person',
    params: LeaveParams,
    reply: Deleted,
    status: 200,
    errors: ['account_not_found', 'last_owner'],
    async handle({ actor, params }) {
      await members.leave(actor, params.id);
      return true;
    },
  });
