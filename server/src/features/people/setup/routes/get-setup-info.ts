import { defineRoute } from '../../../../kernel/route.ts';
import { SetupInfo, SetupToken } from '../../login/schema.ts';
import type { Setup } from '../setup.ts';

export const getSetupInfo = (setup: Setup) =>
  defineRoute({
    method: 'POST',
    path: '/auth/setup/info',
    operationId: 'getSetupInfo',
    tag: 'people',
    summary: 'What a setup link is for',
    access: 'public',
    fromPages: true,
    body: SetupToken,
    reply: SetupInfo,
    status: 200,
    errors: ['link_invalid', 'origin_denied', 'sign_in_throttled'],
    handle: (call) => setup.info(call, call.body.token),
  });
