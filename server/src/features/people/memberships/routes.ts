import Type from 'typebox';
import { KeywardError } from '../../../kernel/errors.ts';
import { defineRoute, type Route } from '../../../kernel/route.ts';
import { AccountParams, Deleted, deleted } from '../../../kernel/schemas.ts';
import {
  DeleteUserRole,
  ListTeammates,
  Teammate,
  UpdateUserRole,
  UpdateUserRoleQuery,
  UserParams,
  UserRole,
} from './schema.ts';
import type { MembershipService } from './service.ts';

export const membershipRoutes = (members: MembershipService): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/teammates',
    operationId: 'listTeammates',
    tag: 'people',
    summary: 'List the members of the account, newest first',
    description:
      'Every user with a role in the account, or with `projectId`, those who have a role in that project.',
    example: { query: { limit: 10 }, keeps: ['USER_ID', 'id'] },
    access: 'invitations:read',
    reply: Teammate,
    status: 200,
    errors: ['account_not_found', 'project_not_found'],
    query: ListTeammates,
    list: true,
    handle: ({ actor, query }) => members.list(actor.principal, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/users/:id/roles',
    operationId: 'getUserRoles',
    tag: 'people',
    summary: 'Retrieve the role of a user in the account',
    description: 'The role of one user, and the projects that it is limited to.',
    example: { params: { id: '$USER_ID' } },
    access: 'invitations:read',
    params: UserParams,
    reply: Type.Array(UserRole),
    status: 200,
    errors: ['user_not_found'],
    handle: ({ actor, params }) => members.roles(actor.principal, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/users/:id/roles',
    operationId: 'updateUserRole',
    tag: 'people',
    summary: 'Change the role or the projects of a user',
    description:
      'Takes effect with the next request of that user. An account must keep at least one owner of the whole account.',
    example: { params: { id: '$USER_ID' }, body: { role: 'owner' } },
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
  }),
  defineRoute({
    method: 'DELETE',
    path: '/users/:id/roles',
    operationId: 'deleteUserRole',
    tag: 'people',
    summary: 'Remove a user from the account, or from one project',
    description:
      'With `projectId`, removes only that project from the role; removing the last project ends the role. A single project cannot be removed from a role for the whole account (`role_account_wide`): limit the role with `PATCH` and `projectIds` instead.',
    example: { params: { id: '$USER_ID' }, needs: 'a second owner', response: true },
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
    handle: ({ actor, params, query }) => deleted(members.remove(actor, params.id, query)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/me/accounts/:id',
    operationId: 'leaveAccount',
    tag: 'people',
    summary: 'Leave an account',
    description: 'Ends your role in the account. The last owner of an account cannot leave it.',
    example: { params: { id: '$ACCOUNT_ID' }, needs: 'a second owner', response: true },
    access: 'person',
    params: AccountParams,
    reply: Deleted,
    status: 200,
    errors: ['account_not_found', 'last_owner'],
    handle: ({ actor, params }) => deleted(members.leave(actor, params.id)),
  }),
];
