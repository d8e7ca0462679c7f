import { defineRoute } from '../../../../kernel/route.ts';
import { SignInPasskey, SignInResult } from '../schema.ts';
import type { SignIn } from '../sign-in.ts';

export const signInWithPasskey = (signIn: SignIn) =>
  defineRoute({
    method: 'POST',
    path: '/auth/sign-in/passkey',
    operationId: 'signInWithPasskey',
    tag: 'people',
    summary: 'Sign in with a passkey',
    access: 'public',
    fromPages: true,
    body: SignInPasskey,
    reply: SignInResult,
    status: 200,
    errors: ['passkey_failed', 'origin_denied', 'sign_in_throttled'],
    handle: (call) => signIn.withPasskey(call, call.body.response as never),
  });
