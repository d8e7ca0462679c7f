import { defineRoute } from '../../../../kernel/route.ts';
import type { OwnPasskeys } from '../own-passkeys.ts';
import { NewPasskey, Passkey } from '../schema.ts';

export const addPasskey = (passkeys: OwnPasskeys) =>
  defineRoute({
    method: 'POST',
    path: '/auth/passkeys',
    operationId: 'addPasskey',
    tag: 'people',
    summary: 'Add the passkey that the browser has made',
    access: 'person',
    body: NewPasskey,
    reply: Passkey,
    status: 200,
    errors: ['passkey_failed', 'confirmation_required'],
    handle: (call) => passkeys.add(call, call.body.name, call.body.response),
  });
