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
    description: 'Every other session ends.',
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
    summary: 'Ask for a link to set a new password, by mail',
    description: 'Answered the same whether there is such a person or not.',
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
    summary: 'Set a new password with the token of a link',
    description: 'Every session of the person ends.',
    access: 'public',
    fromPages: true,
    body: ResetPassword,
    reply: Type.Literal(true),
    status: 200,
    errors: ['link_invalid', 'password_weak', 'sign_in_throttled'],
    handle: (call) => passwords.reset(call, call.body),
  }),
];
