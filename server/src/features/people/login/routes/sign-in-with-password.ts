import { defineRoute } from '../../../../kernel/route.ts';
import { SignInPassword, SignInResult } from '../schema.ts';
import type { SignIn } from '../sign-in.ts';

export const signInWithPassword = (signIn: SignIn) =>
  defineRoute({
    method: 'POST',
    path: '/auth/sign-in',
    operationId: 'signIn',
    tag: 'people',
    summary: 'Sign in with e-mail and password',
    description:
      'An unknown address is answered as a wrong password is. Sets the session cookie, or asks for the second factor.',
    access: 'public',
    fromPages: true,
    body: SignInPassword,
    reply: SignInResult,
    status: 200,
    errors: ['sign_in_failed', 'origin_denied', 'sign_in_throttled'],
    handle: (call) => signIn.withPassword(call, call.body),
  });
