import Type from 'typebox';
import { defineRoute, type Route } from '../../../../kernel/route.ts';
import { Deleted, deleted } from '../../../../kernel/schemas.ts';
import { NewPasskey, Passkey, PasskeyParams, RenamePasskey } from '../schema.ts';
import type { PasskeyService } from './service.ts';

export const passkeyRoutes = (passkeys: PasskeyService): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/auth/passkeys',
    operationId: 'listPasskeys',
    tag: 'people',
    summary: 'List your passkeys',
    description: 'The passkeys that you can sign in with. Their public keys are not shown.',
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
    description:
      'Returns the options for `navigator.credentials.create()` in the browser. Requires a recent confirmation of your identity.',
    example: {
      needs: 'a browser with a passkey',
      response: {
        challenge: '…',
        rp: { name: 'Keyward', id: 'keys.example.com' },
        user: { id: '…', name: 'ada@example.com', displayName: 'Ada' },
        pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
      },
    },
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
    description:
      'Send what `navigator.credentials.create()` returned in the browser, for the options from `POST /auth/passkeys/options`. Requires a recent confirmation of your identity.',
    example: {
      body: {
        name: 'Laptop',
        response: {
          id: '…',
          rawId: '…',
          type: 'public-key',
          response: { clientDataJSON: '…', attestationObject: '…' },
        },
      },
      needs: 'a browser with a passkey',
      response: {
        id: 'psk_01jz5n8w3e7xk2m4q6s8v0y1zb',
        name: 'Laptop',
        createdAt: '2030-01-01T00:00:00.000Z',
      },
    },
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
    description: 'The name tells your passkeys apart, and has no other effect.',
    example: {
      params: { id: '$PASSKEY_ID' },
      body: { name: 'Work laptop' },
      needs: 'a browser with a passkey',
      response: {
        id: 'psk_01jz5n8w3e7xk2m4q6s8v0y1zb',
        name: 'Laptop',
        createdAt: '2030-01-01T00:00:00.000Z',
      },
    },
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
    description:
      'You can no longer sign in with it. Requires a recent confirmation of your identity.',
    example: { params: { id: '$PASSKEY_ID' }, needs: 'a browser with a passkey', response: true },
    access: 'person',
    params: PasskeyParams,
    reply: Deleted,
    status: 200,
    errors: ['passkey_not_found', 'confirmation_required'],
    handle: ({ actor, params }) => deleted(passkeys.remove(actor, params.id)),
  }),
];
