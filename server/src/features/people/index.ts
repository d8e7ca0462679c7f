import type { Route } from '../../kernel/route.ts';
import { createInvitations } from './invitations/routes/create-invitations.ts';
import { deleteInvitation } from './invitations/routes/delete-invitation.ts';
import { getInvitation } from './invitations/routes/get-invitation.ts';
import { getInvitationInfo } from './invitations/routes/get-invitation-info.ts';
import { listInvitations } from './invitations/routes/list-invitations.ts';
import { updateInvitation } from './invitations/routes/update-invitation.ts';
import type { InvitationService } from './invitations/service.ts';

export { InvitationService } from './invitations/service.ts';

export const invitationRoutes = (service: InvitationService): Route[] => [
  createInvitations(service),
  listInvitations(service),
  getInvitation(service),
  updateInvitation(service),
  deleteInvitation(service),
  getInvitationInfo(service),
];
