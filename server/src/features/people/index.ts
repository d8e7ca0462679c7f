import type { Route } from '../../kernel/route.ts';
import { acceptInvitation } from './invitations/routes/accept-invitation.ts';
import { createInvitations } from './invitations/routes/create-invitations.ts';
import { deleteInvitation } from './invitations/routes/delete-invitation.ts';
import { getInvitation } from './invitations/routes/get-invitation.ts';
import { getInvitationInfo } from './invitations/routes/get-invitation-info.ts';
import { listInvitations } from './invitations/routes/list-invitations.ts';
import { resendInvitation } from './invitations/routes/resend-invitation.ts';
import { updateInvitation } from './invitations/routes/update-invitation.ts';
import type { InvitationService } from './invitations/service.ts';
import { addPasskey } from './login/routes/add-passkey.ts';
import { beginPasskey } from './login/routes/begin-passkey.ts';
import { beginPasskeySignIn } from './login/routes/begin-passkey-sign-in.ts';
import { beginProviderSignIn } from './login/routes/begin-provider-sign-in.ts';
import { beginTwoFactor } from './login/routes/begin-two-factor.ts';
import { changePassword } from './login/routes/change-password.ts';
import { confirmIdentity } from './login/routes/confirm-identity.ts';
import { confirmTwoFactor } from './login/routes/confirm-two-factor.ts';
import { endOtherSessions } from './login/routes/end-other-sessions.ts';
import { endSession } from './login/routes/end-session.ts';
import { endTwoFactor } from './login/routes/end-two-factor.ts';
import { finishProviderSignIn } from './login/routes/finish-provider-sign-in.ts';
import { forgetPassword } from './login/routes/forget-password.ts';
import { getSignInMethods } from './login/routes/get-sign-in-methods.ts';
import { linkProvider } from './login/routes/link-provider.ts';
import { listPasskeys } from './login/routes/list-passkeys.ts';
import { listSessions } from './login/routes/list-sessions.ts';
import { newRecoveryCodes } from './login/routes/new-recovery-codes.ts';
import { removePasskey } from './login/routes/remove-passkey.ts';
import { renamePasskey } from './login/routes/rename-passkey.ts';
import { resetPassword } from './login/routes/reset-password.ts';
import { signInWithPasskey } from './login/routes/sign-in-with-passkey.ts';
import { signInWithPassword } from './login/routes/sign-in-with-password.ts';
import { signInWithRecoveryCode } from './login/routes/sign-in-with-recovery-code.ts';
import { signInWithTotp } from './login/routes/sign-in-with-totp.ts';
import { signOut } from './login/routes/sign-out.ts';
import { deleteUserRole } from './memberships/routes/delete-user-role.ts';
import { getUserRoles } from './memberships/routes/get-user-roles.ts';
import { leaveAccount } from './memberships/routes/leave-account.ts';
import { listTeammates } from './memberships/routes/list-teammates.ts';
import { updateUserRole } from './memberships/routes/update-user-role.ts';
import { createOwnerLink } from './operator/routes/create-owner-link.ts';
import { createPasswordLink } from './operator/routes/create-password-link.ts';
import { deleteSecondFactor } from './operator/routes/delete-second-factor.ts';
import type { People } from './people.ts';
import { getMe } from './routes/get-me.ts';
import { updateMe } from './routes/update-me.ts';
import { getSetupInfo } from './setup/routes/get-setup-info.ts';
import { useSetupLink } from './setup/routes/use-setup-link.ts';

export { InvitationService } from './invitations/service.ts';
export { hasSession, SESSION_COOKIE } from './login/cookies.ts';
export type { LoginProviders } from './login/providers.ts';
export { Sessions } from './login/sessions.ts';
export { MailQueue } from './mail/mail-queue.ts';
export { MailSender, type SmtpSettings } from './mail/mail-sender.ts';
export { makeOwner } from './memberships/make-owner.ts';
export { memberPrincipal } from './memberships/member-principal.ts';
export { createPeople } from './people.ts';
export { setupLink } from './setup/link.ts';
export { sweepPeople } from './sweep.ts';

export const invitationRoutes = (service: InvitationService): Route[] => [
  createInvitations(service),
  listInvitations(service),
  getInvitation(service),
  updateInvitation(service),
  deleteInvitation(service),
  getInvitationInfo(service),
  resendInvitation(service),
];

export const peopleRoutes = (people: People): Route[] => [
  acceptInvitation(people.acceptance),
  getSignInMethods(people.signIn),
  signInWithPassword(people.signIn),
  signInWithTotp(people.signIn),
  signInWithRecoveryCode(people.signIn),
  beginPasskeySignIn(people.signIn),
  signInWithPasskey(people.signIn),
  signOut(people.signIn),
  beginProviderSignIn(people.providers),
  finishProviderSignIn(people.providers),
  linkProvider(people.providers),
  changePassword(people.ownLogin),
  forgetPassword(people.resets),
  resetPassword(people.resets),
  beginTwoFactor(people.ownLogin),
  confirmTwoFactor(people.ownLogin),
  newRecoveryCodes(people.ownLogin),
  endTwoFactor(people.ownLogin),
  listPasskeys(people.ownPasskeys),
  beginPasskey(people.ownPasskeys),
  addPasskey(people.ownPasskeys),
  renamePasskey(people.ownPasskeys),
  removePasskey(people.ownPasskeys),
  listSessions(people.ownSessions),
  endSession(people.ownSessions),
  endOtherSessions(people.ownSessions),
  confirmIdentity(people.confirmation),
  getMe(people.profile),
  updateMe(people.profile),
  getSetupInfo(people.setup),
  useSetupLink(people.setup),
  listTeammates(people.members),
  getUserRoles(people.members),
  updateUserRole(people.members),
  deleteUserRole(people.members),
  leaveAccount(people.members),
  createOwnerLink(people.operator),
  createPasswordLink(people.operator),
  deleteSecondFactor(people.operator),
];
