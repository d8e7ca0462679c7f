import { defineRoute } from '../../../../kernel/route.ts';
import { Invitation, ListInvitations } from '../schema.ts';
import type { InvitationService } from '../service.ts';

export const listInvitations = (service: InvitationService) =>
  defineRoute({
    method: 'GET',
    path: '/invitations',
    operationId: 'listInvitations',
    tag: 'invitations',
    summary: 'List invitations, newest first',
    access: 'invitations:read',
    query: ListInvitations,
    reply: Invitation,
    status: 200,
    list: true,
    errors: ['account_not_found'],
    handle: ({ actor, query }) => service.list(actor.principal, query),
  });
