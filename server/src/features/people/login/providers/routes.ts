import Type from 'typebox';
import { defineRoute, type Route } from '../../../../kernel/route.ts';
import { Deleted, deleted } from '../../../../kernel/schemas.ts';
import {
  LinkedProvider,
  ProviderAddress,
  ProviderChoice,
  ProviderParams,
  ProviderReturn,
} from '../schema.ts';
import type { ProviderService } from './service.ts';

export const providerRoutes = (providers: ProviderService): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/auth/sign-in/provider',
    operationId: 'beginProviderSignIn',
    tag: 'people',
    summary: 'Start signing in with an identity provider',
    description:
      'Returns the address of the identity provider, to which the browser goes next. Providers sign in existing users and create no new ones.',
    example: {
      body: { provider: 'github' },
      needs: 'an identity provider',
      response: { url: 'https://github.com/login/oauth/authorize?client_id=…&state=…' },
    },
    access: 'public',
    fromPages: true,
    body: ProviderChoice,
    reply: ProviderAddress,
    status: 200,
    errors: ['provider_not_found', 'sign_in_throttled'],
    handle: (call) => providers.begin(call, call.body.provider),
  }),
  defineRoute({
    method: 'GET',
    path: '/auth/callback/:id',
    operationId: 'finishProviderSignIn',
    tag: 'people',
    summary: 'Complete signing in with an identity provider',
    description:
      'The identity provider sends the browser here. Redirects to the dashboard: signed in, or with the reason why not. Register this address with the provider.',
    example: {
      params: { id: 'github' },
      query: { code: '$CODE', state: '$STATE' },
      needs: 'an identity provider',
    },
    access: 'public',
    params: ProviderParams,
    reply: Type.Null(),
    status: 302,
    errors: ['provider_not_found', 'sign_in_throttled'],
    query: ProviderReturn,
    handle: (call) => providers.finish(call, call.params.id, call.query),
  }),
  defineRoute({
    method: 'GET',
    path: '/auth/providers',
    operationId: 'listLinkedProviders',
    tag: 'people',
    summary: 'List the identity providers linked to your login',
    description: 'You can sign in with each of them. `id` is the provider, such as `github`.',
    access: 'person',
    reply: Type.Array(LinkedProvider),
    status: 200,
    handle: ({ actor }) => providers.listLinked(actor.principal.id),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/providers',
    operationId: 'linkProvider',
    tag: 'people',
    summary: 'Start linking an identity provider to your login',
    description:
      'Returns the address of the identity provider, to which the browser goes next. When it returns, the login at the provider is linked to yours. Requires a recent confirmation of your identity.',
    example: {
      body: { provider: 'github' },
      needs: 'an identity provider',
      response: { url: 'https://github.com/login/oauth/authorize?client_id=…&state=…' },
    },
    access: 'person',
    body: ProviderChoice,
    reply: ProviderAddress,
    status: 200,
    errors: ['confirmation_required', 'provider_not_found'],
    handle: (call) => providers.link(call, call.body.provider),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/auth/providers/:id',
    operationId: 'unlinkProvider',
    tag: 'people',
    summary: 'Unlink an identity provider from your login',
    description:
      'You can no longer sign in with it. Requires a recent confirmation of your identity.',
    example: { params: { id: 'github' }, needs: 'an identity provider', response: true },
    access: 'person',
    params: ProviderParams,
    reply: Deleted,
    status: 200,
    errors: ['confirmation_required', 'provider_not_found'],
    handle: ({ actor, params }) => deleted(providers.unlink(actor, params.id)),
  }),
];
