import Type from 'typebox';
import { defineRoute, type Route } from '../../../../kernel/route.ts';
import { Deleted } from '../../../../kernel/schemas.ts';
import { NewPasskey, Passkey, PasskeyParams, RenamePasskey } from '../schema.ts';
import type { PasskeyService } from './service.ts';

export const passkeyRoutes = (passkeys: PasskeyService): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/auth/passkeys',
    operationId: 'listPasskeys',
    tag: 'people',
    summary: 'List your passkeys',
    access: 'person',
    reply: Type.Array(Passkey),
    status: 200,
    handle: ({ actor }) => passkeys.list(actor.principal.id),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/passkeys/options',
    operationId: 'beginPasskey',
    tag: 'people',
    summary: 'Create the options for adding a passkey',
    access: 'person',
    reply: Type.Object({}, { additionalProperties: true }),
    status: 200,
    errors: ['confirmation_required'],
    handle: (call) => passkeys.options(call),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/passkeys',
    operationId: 'addPasskey',
    tag: 'people',
    summary: 'Add a passkey created by the browser',
    access: 'person',
    body: NewPasskey,
    reply: Passkey,
    status: 200,
    errors: ['passkey_failed', 'confirmation_required'],
    handle: (call) => passkeys.add(call, call.body.name, call.body.response),
  }),
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
  }),
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
  }),
];
