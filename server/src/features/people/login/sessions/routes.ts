import Type from 'typebox';
import { defineRoute, type Route } from '../../../../kernel/route.ts';
import { Deleted, deleted } from '../../../../kernel/schemas.ts';
import { personOf } from '../../person.ts';
import { Confirmed, ConfirmIdentity, Session, SessionParams } from '../schema.ts';
import type { Confirmation } from './confirmation.ts';
import type { SessionService } from './service.ts';

export const sessionRoutes = (sessions: SessionService, confirmation: Confirmation): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/auth/sessions',
    operationId: 'listSessions',
    tag: 'people',
    summary: 'List your sessions, newest first',
    description:
      'Every browser in which you are signed in, with its address when it signed in. `isCurrent` marks the one that asks.',
    example: {
      keeps: ['SESSION_ID', 'id'],
      response: [
        {
          id: 'ses_01jz5n8w3e7xk2m4q6s8v0y1zb',
          isCurrent: true,
          clientAddress: '203.0.113.7',
          userAgent: 'Mozilla/5.0',
          createdAt: '2030-01-01T12:00:00.000Z',
          updatedAt: '2030-01-01T12:00:00.000Z',
          expiresAt: '2030-01-08T12:00:00.000Z',
        },
      ],
    },
    access: 'person',
    reply: Type.Array(Session),
    status: 200,
    handle: ({ actor }) => sessions.list(personOf(actor)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/auth/sessions/:id',
    operationId: 'endSession',
    tag: 'people',
    summary: 'End one of your sessions',
    description: 'Signs that browser out with its next request.',
    example: { params: { id: '$SESSION_ID' } },
    access: 'person',
    params: SessionParams,
    reply: Deleted,
    status: 200,
    errors: ['session_not_found'],
    handle: ({ actor, params }) => deleted(sessions.end(actor, params.id)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/auth/sessions',
    operationId: 'endOtherSessions',
    tag: 'people',
    summary: 'End all your other sessions',
    description:
      'Signs you out everywhere except in this browser. Browsers that you have signed in with before count as new again.',
    access: 'person',
    reply: Deleted,
    status: 200,
    handle: ({ actor, headers }) => deleted(sessions.endOthers(actor, personOf(actor), headers)),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/confirm',
    operationId: 'confirmIdentity',
    tag: 'people',
    summary: 'Confirm your identity with your password or a passkey',
    description:
      'Required before adding or removing a passkey, and before linking or unlinking a provider, if the last sign-in is more than five minutes old. The confirmation is valid for this session, for five minutes. To confirm with a passkey, get the options for the browser from `POST /auth/sign-in/passkey/options`.',
    example: { body: { password: '$KEYWARD_PASSWORD' } },
    access: 'person',
    body: ConfirmIdentity,
    reply: Confirmed,
    status: 200,
    errors: ['password_wrong', 'passkey_failed', 'sign_in_throttled'],
    handle: (call) => confirmation.confirm(call, personOf(call.actor), call.body),
  }),
];
