import { defineRoute } from '../../../../kernel/route.ts';
import { CreatedInvitation, InvitationParams, ResendInvitation } from '../schema.ts';
import type { InvitationService } from '../service.ts';

export const resendInvitation = (service: InvitationService) =>
  defineRoute({
    method: 'POST',
    path: '/invitations/:id/resend',
    operationId: 'resendInvitation',
    tag: 'invitations',
    summary: 'Make a new link for a pending or expired invitation',
    description: 'The old link stops working.',
    access: 'invitations:write',
    params: InvitationParams,
    body: ResendInvitation,
    reply: CreatedInvitation,
    status: 200,
    errors: ['grant_exceeds_own', 'invitation_not_found', 'invitation_closed', 'mail_unavailable'],
    handle: ({ actor, params, body }) =>
      service.resend(actor, params.id, body?.by ?? service.usualWay),
  });
