import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import { UserParams, UserRole } from '../schema.ts';
import type { MembershipService } from '../service.ts';

export const getUserRoles = (members: MembershipService) =>
  defineRoute({
    method: 'GET',
    path: '/users/:id/roles',
    operationId: 'getUserRoles',
    tag: 'people',
    summary: 'The role of a person in the account',
    access: 'invitations:read',
    params: UserParams,
    reply: Type.Array(UserRole),
    status: 200,
    errors: ['user_not_found'],
    handle: ({ actor, params }) => members.roles(actor.principal, params.id),
  });
