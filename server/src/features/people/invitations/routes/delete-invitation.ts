import { defineRoute } from '../../../../kernel/route.ts';
import { Deleted } from '../../../../kernel/schemas.ts';
import { InvitationParams } from '../schema.ts';
import type { InvitationService } from '../service.ts';

export const deleteInvitation = (service: InvitationService) =>
  defineRoute({
    method: 'DELETE',
    path: '/invitations/:id',
    operationId: 'deleteInvitation',
    tag: 'invitations',
    summary: 'Cancel an invitation',
    description: 'Its link stops working. Cancelling it again changes nothing.',
    access: 'invitations:write',
    params: InvitationParams,
    reply: Deleted,
    status: 200,
    errors: ['invitation_not_found', 'invitation_closed'],
    async handle({ actor, params }) {
      await service.cancel(actor, params.id);
      return true;
    },
  });
