import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import type { PasswordResets } from '../password-resets.ts';
import { ResetPassword } from '../schema.ts';

export const resetPassword = (resets: PasswordResets) =>
  defineRoute({
    method: 'POST',
    path: '/auth/password/reset',
    operationId: 'resetPassword',
    tag: 'people',
    summary: 'Set a new password with the token of a link',
    description: 'Every session of the person ends.',
    access: 'public',
    fromPages: true,
    body: ResetPassword,
    reply: Type.Literal(true),
    status: 200,
    errors: ['link_invalid', 'password_weak', 'sign_in_throttled'],
    handle: (call) => resets.reset(call, call.body),
  });
