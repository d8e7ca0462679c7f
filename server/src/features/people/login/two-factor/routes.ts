import Type from 'typebox';
import { defineRoute, type Route } from '../../../../kernel/route.ts';
import { ConfirmPassword, NewTwoFactor, RecoveryCodes, TotpCode } from '../schema.ts';
import type { TwoFactorService } from './service.ts';

export const twoFactorRoutes = (twoFactor: TwoFactorService): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/auth/two-factor',
    operationId: 'beginTwoFactor',
    tag: 'people',
    summary: 'Set up the second factor',
    description:
      'The second factor is enabled once it is confirmed with a code from the authenticator app.',
    access: 'person',
    body: ConfirmPassword,
    reply: NewTwoFactor,
    status: 200,
    errors: ['two_factor_on', 'password_wrong', 'sign_in_throttled'],
    handle: (call) => twoFactor.beginTwoFactor(call, call.body.password),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/two-factor/confirm',
    operationId: 'confirmTwoFactor',
    tag: 'people',
    summary: 'Enable the second factor with a first code',
    access: 'person',
    body: TotpCode,
    reply: Type.Literal(true),
    status: 200,
    errors: ['second_factor_failed', 'two_factor_off', 'sign_in_throttled'],
    handle: (call) => twoFactor.confirmTwoFactor(call, call.body.code),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/two-factor/recovery-codes',
    operationId: 'newRecoveryCodes',
    tag: 'people',
    summary: 'Replace your recovery codes',
    access: 'person',
    body: ConfirmPassword,
    reply: RecoveryCodes,
    status: 200,
    errors: ['two_factor_off', 'password_wrong', 'sign_in_throttled'],
    handle: (call) => twoFactor.newRecoveryCodes(call, call.body.password),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/two-factor/disable',
    operationId: 'endTwoFactor',
    tag: 'people',
    summary: 'Disable the second factor',
    access: 'person',
    body: ConfirmPassword,
    reply: Type.Literal(true),
    status: 200,
    errors: ['password_wrong', 'sign_in_throttled'],
    handle: (call) => twoFactor.endTwoFactor(call, call.body.password),
  }),
];
