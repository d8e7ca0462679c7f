import type { Route } from '../../kernel/route.ts';
import { passkeyRoutes } from './login/passkeys/routes.ts';
import { passwordRoutes } from './login/passwords/routes.ts';
import { providerRoutes } from './login/providers/routes.ts';
import { sessionRoutes } from './login/sessions/routes.ts';
import { signInRoutes } from './login/sign-in/routes.ts';
import { twoFactorRoutes } from './login/two-factor/routes.ts';
import { membershipRoutes } from './memberships/routes.ts';
import { operatorRoutes } from './operator/routes.ts';
import type { People } from './people.ts';
import { profileRoutes } from './profile/routes.ts';
import { setupRoutes } from './setup/routes.ts';

export const peopleRoutes = (people: People): Route[] => [
  ...signInRoutes(people.signIn),
  ...providerRoutes(people.providers),
  ...passwordRoutes(people.passwords),
  ...twoFactorRoutes(people.twoFactor),
  ...passkeyRoutes(people.passkeys),
  ...sessionRoutes(people.sessions, people.confirmation),
  ...profileRoutes(people.profile),
  ...setupRoutes(people.setup),
  ...membershipRoutes(people.members),
  ...operatorRoutes(people.operator),
];
