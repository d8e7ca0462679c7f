import { KeywardError } from '../../../../kernel/errors.ts';
import { defineRoute } from '../../../../kernel/route.ts';
import { UpdateUserRole, UpdateUserRoleQuery, UserParams, UserRole } from '../schema.ts';
import type { MembershipService } from '../service.ts';

export const updateUserRole = (members: MembershipService) =>
  defineRoute({
    method: 'PATCH',
    path: '/users/:id/roles',
    operationId: 'updateUserRole',
    tag: 'people',
    summary: 'Change the role of a person, or what it is narrowed to',
    description:
      'In force with the very next call of that person. An account keeps at least one owner of the whole account.',
    access: 'invitations:write',
    params: UserParams,
    query: UpdateUserRoleQuery,
    body: UpdateUserRole,
    reply: UserRole,
    status: 200,
    errors: [
      'user_not_found',
      'grant_exceeds_own',
      'level_too_low',
      'last_owner',
      'account_not_found',
      'project_not_found',
    ],
    async handle({ actor, params, query, body }) {
      const accountId = query.accountId ?? body.accountId;
      if (body.accountId !== undefined && body.accountId !== accountId)
        throw new KeywardError('invalid_body', 'accountId in the body and in the query differ.');
      return members.update(actor, params.id, { ...body, ...(accountId && { accountId }) });
    },
  });
