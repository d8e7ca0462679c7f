import { defineRoute } from '../../../../kernel/route.ts';
import { ListTeammates, Teammate } from '../schema.ts';
import type { MembershipService } from '../service.ts';

export const listTeammates = (members: MembershipService) =>
  defineRoute({
    method: 'GET',
    path: '/teammates',
    operationId: 'listTeammates',
    tag: 'people',
    summary: 'Who belongs to the account, newest first',
    access: 'invitations:read',
    reply: Teammate,
    status: 200,
    errors: ['account_not_found', 'project_not_found'],
    query: ListTeammates,
    list: true,
    handle: ({ actor, query }) => members.list(actor.principal, query),
  });
