import { defineRoute } from '../../../../kernel/route.ts';
import { Invitation, InvitationParams, UpdateInvitation } from '../schema.ts';
import type { InvitationService } from '../service.ts';

export const updateInvitation = (service: InvitationService) =>
  defineRoute({
    method: 'PATCH',
    path: '/invitations/:id',
    operationId: 'updateInvitation',
    tag: 'invitations',
    summary: 'Change the role of a pending invitation',
    description: 'The link that was sent stays as it is.',
    access: 'invitations:write',
    params: InvitationParams,
    body: UpdateInvitation,
    reply: Invitation,
    status: 200,
    errors: ['grant_exceeds_own', 'invitation_not_found', 'invitation_closed'],
    handle: ({ actor, params, body }) => service.update(actor, params.id, body),
  });
