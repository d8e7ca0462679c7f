import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import type { OwnLogin } from '../own-login.ts';
import { ConfirmPassword } from '../schema.ts';

export const endTwoFactor = (login: OwnLogin) =>
  defineRoute({
    method: 'POST',
    path: '/auth/two-factor/disable',
    operationId: 'endTwoFactor',
    tag: 'people',
    summary: 'Switch the second factor off',
    access: 'person',
    body: ConfirmPassword,
    reply: Type.Literal(true),
    status: 200,
    errors: ['password_wrong', 'sign_in_throttled'],
    handle: (call) => login.endTwoFactor(call, call.body.password),
  });
