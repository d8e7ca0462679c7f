import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import { CreatedInvitation, CreateInvitations } from '../schema.ts';
import type { InvitationService } from '../service.ts';

export const createInvitations = (service: InvitationService) =>
  defineRoute({
    method: 'POST',
    path: '/invitations',
    operationId: 'createInvitations',
    tag: 'invitations',
    summary: 'Invite people to the account',
    description:
      'One invitation an address, each with a link that is shown in this answer only and works for 7 days. An address that already has a pending invitation gets the new one in its place.',
    access: 'invitations:write',
    body: CreateInvitations,
    reply: Type.Array(CreatedInvitation),
    status: 201,
    creates: true,
    errors: ['grant_exceeds_own', 'level_too_low', 'account_not_found', 'project_not_found'],
    handle: ({ actor, body, idempotency }) => service.create(actor, body, idempotency),
  });
