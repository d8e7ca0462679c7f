import { defineRoute } from '../../../../kernel/route.ts';
import type { OwnPasskeys } from '../own-passkeys.ts';
import { Passkey, PasskeyParams, RenamePasskey } from '../schema.ts';

export const renamePasskey = (passkeys: OwnPasskeys) =>
  defineRoute({
    method: 'PATCH',
    path: '/auth/passkeys/:id',
    operationId: 'renamePasskey',
    tag: 'people',
    summary: 'Rename a passkey',
    access: 'person',
    params: PasskeyParams,
    body: RenamePasskey,
    reply: Passkey,
    status: 200,
    errors: ['passkey_not_found'],
    handle: ({ actor, params, body }) => passkeys.rename(actor, params.id, body.name),
  });
