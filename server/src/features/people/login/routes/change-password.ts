import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import type { OwnLogin } from '../own-login.ts';
import { ChangePassword } from '../schema.ts';

export const changePassword = (login: OwnLogin) =>
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
    handle: (call) => login.changePassword(call, call.body),
  });
