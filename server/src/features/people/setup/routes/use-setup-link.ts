import { defineRoute } from '../../../../kernel/route.ts';
import { SetupForm, SignInResult } from '../../login/schema.ts';
import type { Setup } from '../setup.ts';

export const useSetupLink = (setup: Setup) =>
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
  });
