import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import type { OwnPasskeys } from '../own-passkeys.ts';
import { Passkey } from '../schema.ts';

export const listPasskeys = (passkeys: OwnPasskeys) =>
  defineRoute({
    method: 'GET',
    path: '/auth/passkeys',
    operationId: 'listPasskeys',
    tag: 'people',
    summary: 'Your passkeys',
    access: 'person',
    reply: Type.Array(Passkey),
    status: 200,
    handle: ({ actor }) => passkeys.list(actor.principal.id),
  });
