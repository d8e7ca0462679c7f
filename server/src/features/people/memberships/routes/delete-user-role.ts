import { defineRoute } from '../../../../kernel/route.ts';
import { Deleted } from '../../../../kernel/schemas.ts';
import { DeleteUserRole, UserParams } from '../schema.ts';
import type { MembershipService } from '../service.ts';

export const deleteUserRole = (members: MembershipService) =>
  defineRoute({
    method: 'DELETE',
    path: '/users/:id/roles',
    operationId: 'deleteUserRole',
    tag: 'people',
    summary: 'Take a person out of the account, or out of one project',
    description:
      'With `projectId` only that project is taken out of the role; with its last project the role ends. A role for the whole account cannot lose a single project (`role_account_wide`): narrow it with `PATCH` and `projectIds`.',
    access: 'invitations:write',
    params: UserParams,
    query: DeleteUserRole,
    reply: Deleted,
    status: 200,
    errors: [
      'user_not_found',
      'account_not_found',
      'project_not_found',
      'grant_exceeds_own',
      'level_too_low',
      'last_owner',
      'role_account_wide',
    ],
    async handle({ actor, params, query }) {
      await members.remove(actor, params.id, query);
      return true;
    },
  });
