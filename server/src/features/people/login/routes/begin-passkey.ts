import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import type { OwnPasskeys } from '../own-passkeys.ts';

export const beginPasskey = (passkeys: OwnPasskeys) =>
  defineRoute({
    method: 'POST',
    path: '/auth/passkeys/options',
    operationId: 'beginPasskey',
    tag: 'people',
    summary: 'What the browser needs to make a passkey',
    access: 'person',
    reply: Type.Object({}, { additionalProperties: true }),
    status: 200,
    errors: ['confirmation_required'],
    handle: (call) => passkeys.options(call),
  });
