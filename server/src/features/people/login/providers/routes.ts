import Type from 'typebox';
import { defineRoute, type Route } from '../../../../kernel/route.ts';
import { ProviderAddress, ProviderChoice, ProviderParams, ProviderReturn } from '../schema.ts';
import type { ProviderService } from './service.ts';

export const providerRoutes = (providers: ProviderService): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/auth/sign-in/provider',
    operationId: 'beginProviderSignIn',
    tag: 'people',
    summary: 'Start signing in with an identity provider',
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
    access: 'public',
    params: ProviderParams,
    reply: Type.Null(),
    status: 302,
    errors: ['provider_not_found', 'sign_in_throttled'],
    query: ProviderReturn,
    handle: (call) => providers.finish(call, call.params.id, call.query),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/providers',
    operationId: 'linkProvider',
    tag: 'people',
    summary: 'Start linking an identity provider to your login',
    access: 'person',
    body: ProviderChoice,
    reply: ProviderAddress,
    status: 200,
    errors: ['confirmation_required', 'provider_not_found'],
    handle: (call) => providers.link(call, call.body.provider),
  }),
];
