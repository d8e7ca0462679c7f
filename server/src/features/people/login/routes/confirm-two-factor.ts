import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import type { OwnLogin } from '../own-login.ts';
import { TotpCode } from '../schema.ts';

export const confirmTwoFactor = (login: OwnLogin) =>
  defineRoute({
    method: 'POST',
    path: '/auth/two-factor/confirm',
    operationId: 'confirmTwoFactor',
    tag: 'people',
    summary: 'Switch the second factor on with a first code',
    access: 'person',
    body: TotpCode,
    reply: Type.Literal(true),
    status: 200,
    errors: ['second_factor_failed', 'two_factor_off', 'sign_in_throttled'],
    handle: (call) => login.confirmTwoFactor(call, call.body.code),
  });
