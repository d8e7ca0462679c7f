import { defineRoute } from '../../../../kernel/route.ts';
import type { OwnLogin } from '../own-login.ts';
import { ConfirmPassword, RecoveryCodes } from '../schema.ts';

export const newRecoveryCodes = (login: OwnLogin) =>
  defineRoute({
    method: 'POST',
    path: '/auth/two-factor/recovery-codes',
    operationId: 'newRecoveryCodes',
    tag: 'people',
    summary: 'New recovery codes in place of the old ones',
    access: 'person',
    body: ConfirmPassword,
    reply: RecoveryCodes,
    status: 200,
    errors: ['two_factor_off', 'password_wrong', 'sign_in_throttled'],
    handle: (call) => login.newRecoveryCodes(call, call.body.password),
  });
