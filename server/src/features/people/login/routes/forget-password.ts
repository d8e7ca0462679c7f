import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import type { PasswordResets } from '../password-resets.ts';
import { ForgottenPassword } from '../schema.ts';

export const forgetPassword = (resets: PasswordResets) =>
  defineRoute({
    method: 'POST',
    path: '/auth/password/forgot',
    operationId: 'forgetPassword',
    tag: 'people',
    summary: 'Ask for a link to set a new password, by mail',
    description: 'Answered the same whether there is such a person or not.',
    access: 'public',
    fromPages: true,
    body: ForgottenPassword,
    reply: Type.Literal(true),
    status: 200,
    errors: ['mail_unavailable', 'sign_in_throttled'],
    handle: (call) => resets.request(call, call.body.email),
  });
