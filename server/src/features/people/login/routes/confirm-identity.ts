import { defineRoute } from '../../../../kernel/route.ts';
import { personOf } from '../../person.ts';
import type { Confirmation } from '../confirmation.ts';
import { Confirmed, ConfirmIdentity } from '../schema.ts';

export const confirmIdentity = (confirmation: Confirmation) =>
  defineRoute({
    method: 'POST',
    path: '/auth/confirm',
    operationId: 'confirmIdentity',
    tag: 'people',
    summary: 'Confirm who you are, with the password or a passkey',
    description:
      'Needed before a way to sign in is added or removed, when the sign-in is older than five minutes. Holds for this session and five minutes. What the browser needs for a passkey comes from `POST /auth/sign-in/passkey/options`. Whoever has neither signs in again.',
    access: 'person',
    body: ConfirmIdentity,
    reply: Confirmed,
    status: 200,
    errors: ['password_wrong', 'passkey_failed', 'sign_in_throttled'],
    handle: (call) => confirmation.confirm(call, personOf(call.actor), call.body),
  });
