import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import type { ProviderSignIn } from '../provider-sign-in.ts';
import { ProviderParams, ProviderReturn } from '../schema.ts';

export const finishProviderSignIn = (providers: ProviderSignIn) =>
  defineRoute({
    method: 'GET',
    path: '/auth/callback/:id',
    operationId: 'finishProviderSignIn',
    tag: 'people',
    summary: 'Where the browser comes back to, and is sent on to the dashboard',
    access: 'public',
    params: ProviderParams,
    reply: Type.Null(),
    status: 200,
    errors: ['provider_not_found', 'sign_in_throttled'],
    query: ProviderReturn,
    handle: (call) => providers.finish(call, call.params.id, call.query),
  });
