import { defineRoute } from '../../../../kernel/route.ts';
import type { ProviderSignIn } from '../provider-sign-in.ts';
import { ProviderAddress, ProviderChoice } from '../schema.ts';

export const beginProviderSignIn = (providers: ProviderSignIn) =>
  defineRoute({
    method: 'POST',
    path: '/auth/sign-in/provider',
    operationId: 'beginProviderSignIn',
    tag: 'people',
    summary: 'Where the browser goes to sign in elsewhere',
    access: 'public',
    fromPages: true,
    body: ProviderChoice,
    reply: ProviderAddress,
    status: 200,
    errors: ['provider_not_found', 'sign_in_throttled'],
    handle: (call) => providers.begin(call, call.body.provider),
  });
