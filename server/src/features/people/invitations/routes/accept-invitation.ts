import { defineRoute } from '../../../../kernel/route.ts';
import { SignInResult } from '../../login/schema.ts';
import type { Acceptance } from '../acceptance.ts';
import { AcceptInvitation, InvitationParams } from '../schema.ts';

export const acceptInvitation = (acceptance: Acceptance) =>
  defineRoute({
    method: 'POST',
    path: '/invitations/:id/accept',
    operationId: 'acceptInvitation',
    tag: 'invitations',
    summary: 'Accept an invitation',
    description:
      'With the one-time token of the link. A new person sends name and password, and is signed in; whoever is signed in sends the token alone.',
    access: 'public',
    fromPages: true,
    params: InvitationParams,
    body: AcceptInvitation,
    reply: SignInResult,
    status: 200,
    errors: [
      'link_invalid',
      'invitation_closed',
      'password_weak',
      'person_exists',
      'already_member',
      'origin_denied',
      'sign_in_throttled',
    ],
    handle: (call) => acceptance.accept(call, call.params.id, call.body),
  });
