import { defineRoute } from '../../../../kernel/route.ts';
import { RecoveryCode, SignInResult } from '../schema.ts';
import type { SignIn } from '../sign-in.ts';

export const signInWithRecoveryCode = (signIn: SignIn) =>
  defineRoute({
    method: 'POST',
    path: '/auth/sign-in/recovery-code',
    operationId: 'signInWithRecoveryCode',
    tag: 'people',
    summary: 'The second factor: a recovery code, which serves once',
    access: 'public',
    fromPages: true,
    body: RecoveryCode,
    reply: SignInResult,
    status: 200,
    errors: ['second_factor_failed', 'second_factor_expired', 'origin_denied', 'sign_in_throttled'],
    handle: (call) => signIn.withRecoveryCode(call, call.body.code),
  });
