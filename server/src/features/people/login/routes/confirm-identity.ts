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
      'Required before adding or removing a passkey or linked login if the last sign-in is more than five minutes old. The confirmation is valid for this session, for five minutes. To confirm with a passkey, get the options for the browser from `POST /auth/sign-in/passkey/options`. People with neither a password nor a passkey sign in again.',
    access: 'person',
    body: ConfirmIdentity,
    reply: Confirmed,
    status: 200,
    errors: ['password_wrong', 'passkey_failed', 'sign_in_throttled'],
    handle: (call) => confirmation.confirm(call, personOf(call.actor), call.body),
  });
