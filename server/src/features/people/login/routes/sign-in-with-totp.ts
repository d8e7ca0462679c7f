import { defineRoute } from '../../../../kernel/route.ts';
import { SignInResult, TotpCode } from '../schema.ts';
import type { SignIn } from '../sign-in.ts';

export const signInWithTotp = (signIn: SignIn) =>
  defineRoute({
    method: 'POST',
    path: '/auth/sign-in/totp',
    operationId: 'signInWithTotp',
    tag: 'people',
    summary: 'The second factor: a code of the authenticator app',
    access: 'public',
    fromPages: true,
    body: TotpCode,
    reply: SignInResult,
    status: 200,
    errors: ['second_factor_failed', 'second_factor_expired', 'origin_denied', 'sign_in_throttled'],
    handle: (call) => signIn.withTotp(call, call.body.code),
  });
