import { defineRoute, type Route } from '../../../kernel/route.ts';
import { SetupForm, SetupInfo, SetupToken, SignInResult } from '../login/schema.ts';
import type { SetupService } from './service.ts';

export const setupRoutes = (setup: SetupService): Route[] => [
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
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/setup',
    operationId: 'useSetupLink',
    tag: 'people',
    summary: 'Become owner of the account that a setup link is for',
    description:
      'A new person sends name, e-mail and password, and is signed in; whoever is signed in sends the token alone.',
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
