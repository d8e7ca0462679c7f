import { defineRoute } from '../../../../kernel/route.ts';
import { InvitationInfo, InvitationParams } from '../schema.ts';
import type { InvitationService } from '../service.ts';

export const getInvitationInfo = (service: InvitationService) =>
  defineRoute({
    method: 'GET',
    path: '/invitations/:id/info',
    operationId: 'getInvitationInfo',
    tag: 'invitations',
    summary: 'What an invited person may know before accepting',
    description: 'Needs no credential. The id alone accepts nothing.',
    access: 'public',
    params: InvitationParams,
    reply: InvitationInfo,
    status: 200,
    errors: ['invitation_not_found'],
    handle: ({ params }) => service.info(params.id),
  });
