import { defineRoute } from '../../../../kernel/route.ts';
import type { OwnLogin } from '../own-login.ts';
import { ConfirmPassword, NewTwoFactor } from '../schema.ts';

export const beginTwoFactor = (login: OwnLogin) =>
  defineRoute({
    method: 'POST',
    path: '/auth/two-factor',
    operationId: 'beginTwoFactor',
    tag: 'people',
    summary: 'Set up the second factor',
    description: 'It is on when a code of the app has confirmed it.',
    access: 'person',
    body: ConfirmPassword,
    reply: NewTwoFactor,
    status: 200,
    errors: ['two_factor_on', 'password_wrong', 'sign_in_throttled'],
    handle: (call) => login.beginTwoFactor(call, call.body.password),
  });
