import { defineRoute } from '../../../../kernel/route.ts';
import { Deleted } from '../../../../kernel/schemas.ts';
import { UserParams } from '../schema.ts';
import type { MembershipService } from '../service.ts';

export const deleteUserRole = (members: MembershipService) =>
  defineRoute({
    method: 'DELETE',
    path: '/users/:id/roles',
    operationId: 'deleteUserRole',
    tag: 'people',
    summary: 'Take a person out of the account',
    access: 'invitations:write',
    params: UserParams,
    reply: Deleted,
    status: 200,
    errors: ['user_not_found', 'grant_exceeds_own', 'level_too_low', 'last_owner'],
    async handle({ actor, params }) {
      await members.remove(actor, params.id);
      return true;
    },
  });
