import { defineRoute, type Route } from '../../../kernel/route.ts';
import { SetupForm, SetupInfo, SetupToken, SignInResult } from '../login/schema.ts';
import type { SetupService } from './service.ts';

export const setupRoutes = (setup: SetupService): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/auth/setup/info',
    operationId: 'getSetupInfo',
    tag: 'people',
    summary: 'Retrieve the account of a setup link',
    description:
      'The page of a setup link shows this before its reader accepts. The link stays valid.',
    example: {
      body: { token: '$TOKEN' },
      needs: 'the token of a setup link',
      response: { accountName: 'Acme', expiresAt: '2030-01-02T00:00:00.000Z' },
    },
    access: 'public',
    fromPages: true,
    body: SetupToken,
    reply: SetupInfo,
    status: 200,
    errors: ['link_invalid', 'origin_denied', 'sign_in_throttled'],
    handle: (call) => setup.info(call, call.body.token),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/setup',
    operationId: 'useSetupLink',
    tag: 'people',
    summary: 'Become an owner of an account with a setup link',
    description:
      'A new user sends their name, email address and password, and is signed in. A user who is already signed in sends only the token; a member of the account becomes an owner of the whole account.',
    example: {
      body: {
        token: '$TOKEN',
        name: 'Ada',
        email: '$KEYWARD_EMAIL',
        password: '$KEYWARD_PASSWORD',
      },
      needs: 'the token of a setup link',
      response: { status: 'signed-in' },
    },
    access: 'public',
    fromPages: true,
    body: SetupForm,
    reply: SignInResult,
    status: 200,
    errors: [
      'link_invalid',
      'password_weak',
      'person_exists',
      'already_member',
      'origin_denied',
      'sign_in_throttled',
    ],
    handle: (call) => setup.use(call, call.body),
  }),
];
