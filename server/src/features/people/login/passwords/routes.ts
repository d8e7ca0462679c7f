import Type from 'typebox';
import { defineRoute, type Route } from '../../../../kernel/route.ts';
import { ChangePassword, ForgottenPassword, ResetPassword } from '../schema.ts';
import type { PasswordService } from './service.ts';

export const passwordRoutes = (passwords: PasswordService): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/auth/password',
    operationId: 'changePassword',
    tag: 'people',
    summary: 'Change your password',
    description: 'Ends all your other sessions.',
    example: {
      body: { currentPassword: '$KEYWARD_PASSWORD', newPassword: '$NEW_PASSWORD' },
      needs: 'a new password',
      response: true,
    },
    access: 'person',
    body: ChangePassword,
    reply: Type.Literal(true),
    status: 200,
    errors: ['password_weak', 'password_wrong', 'sign_in_throttled'],
    handle: (call) => passwords.changePassword(call, call.body),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/password/forgot',
    operationId: 'forgetPassword',
    tag: 'people',
    summary: 'Request a password reset by email',
    description: 'The response is the same whether or not the user exists.',
    example: { body: { email: '$KEYWARD_EMAIL' }, needs: 'a mail server', response: true },
    access: 'public',
    fromPages: true,
    body: ForgottenPassword,
    reply: Type.Literal(true),
    status: 200,
    errors: ['mail_unavailable', 'sign_in_throttled'],
    handle: (call) => passwords.request(call, call.body.email),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/password/reset',
    operationId: 'resetPassword',
    tag: 'people',
    summary: 'Set a new password with the token from a link',
    description: 'Ends all sessions of the user.',
    example: {
      body: { token: '$TOKEN', password: '$NEW_PASSWORD' },
      needs: 'the token in the link of a mail',
      response: true,
    },
    access: 'public',
    fromPages: true,
    body: ResetPassword,
    reply: Type.Literal(true),
    status: 200,
    errors: ['link_invalid', 'password_weak', 'sign_in_throttled'],
    handle: (call) => passwords.reset(call, call.body),
  }),
];
