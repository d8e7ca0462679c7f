import { defineRoute } from '../../../../kernel/route.ts';
import type { ProviderSignIn } from '../provider-sign-in.ts';
import { ProviderAddress, ProviderChoice } from '../schema.ts';

export const linkProvider = (providers: ProviderSignIn) =>
  defineRoute({
    method: 'POST',
    path: '/auth/providers',
    operationId: 'linkProvider',
    tag: 'people',
    summary: 'Where the browser goes to add another way to sign in',
    access: 'person',
    body: ProviderChoice,
    reply: ProviderAddress,
    status: 200,
    errors: ['confirmation_required', 'provider_not_found'],
    handle: (call) => providers.link(call, call.body.provider),
  });
