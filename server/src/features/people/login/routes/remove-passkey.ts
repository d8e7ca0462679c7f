import { defineRoute } from '../../../../kernel/route.ts';
import { Deleted } from '../../../../kernel/schemas.ts';
import type { OwnPasskeys } from '../own-passkeys.ts';
import { PasskeyParams } from '../schema.ts';

export const removePasskey = (passkeys: OwnPasskeys) =>
  defineRoute({
    method: 'DELETE',
    path: '/auth/passkeys/:id',
    operationId: 'removePasskey',
    tag: 'people',
    summary: 'Remove a passkey',
    access: 'person',
    params: PasskeyParams,
    reply: Deleted,
    status: 200,
    errors: ['passkey_not_found', 'confirmation_required'],
    async handle({ actor, params }) {
      await passkeys.remove(actor, params.id);
      return true;
    },
  });
