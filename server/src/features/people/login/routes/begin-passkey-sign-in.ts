import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import type { SignIn } from '../sign-in.ts';

export const beginPasskeySignIn = (signIn: SignIn) =>
  defineRoute({
    method: 'POST',
    path: '/auth/sign-in/passkey/options',
    operationId: 'beginPasskeySignIn',
    tag: 'people',
    summary: 'What the browser needs to sign in with a passkey',
    access: 'public',
    fromPages: true,
    reply: Type.Object({}, { additionalProperties: true }),
    status: 200,
    errors: ['origin_denied', 'sign_in_throttled'],
    handle: (call) => signIn.passkeyOptions(call),
  });
