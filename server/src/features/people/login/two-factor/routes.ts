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
    example: {
      body: { password: '$KEYWARD_PASSWORD' },
      response: {
        totpUri:
          'otpauth://totp/Keyward:ada%40example.com?secret=…&issuer=Keyward&digits=6&period=30',
        recoveryCodes: ['k7m2q-9x4tz', 'p3w8r-5n6vb'],
      },
    },
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
    description:
      'From now on, signing in with a password also requires a code from the app, or a recovery code.',
    example: { body: { code: '123456' }, needs: 'an authenticator app', response: true },
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
    description: 'The old codes stop working. The new ones are shown only in this response.',
    example: {
      body: { password: '$KEYWARD_PASSWORD' },
      needs: 'an authenticator app',
      response: { recoveryCodes: ['k7m2q-9x4tz', 'p3w8r-5n6vb'] },
    },
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
    description: 'The password alone is enough to sign in again. The recovery codes stop working.',
    example: {
      body: { password: '$KEYWARD_PASSWORD' },
      needs: 'an authenticator app',
      response: true,
    },
    access: 'person',
    body: ConfirmPassword,
    reply: Type.Literal(true),
    status: 200,
    errors: ['password_wrong', 'sign_in_throttled'],
    handle: (call) => twoFactor.endTwoFactor(call, call.body.password),
  }),
];
