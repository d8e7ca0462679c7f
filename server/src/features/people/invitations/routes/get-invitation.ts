import { defineRoute } from '../../../../kernel/route.ts';
import { Invitation, InvitationParams } from '../schema.ts';
import type { InvitationService } from '../service.ts';

export const getInvitation = (service: InvitationService) =>
  defineRoute({
    method: 'GET',
    path: '/invitations/:id',
    operationId: 'getInvitation',
    tag: 'auth_api_v1',
    summary: 'Read an invitation',
    access: 'invitations:read',
    params: InvitationParams,
    reply: Invitation,
    status: 200,
    errors: ['invitation_not_found'],
    handle: ({ actor, params }) => service.get(actor.principal, params.id),
  });
