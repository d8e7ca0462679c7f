import { defineRoute } from '../../../../kernel/route.ts';
import { SignInMethods } from '../schema.ts';
import type { SignIn } from '../sign-in.ts';

export const getSignInMethods = (signIn: SignIn) =>
  defineRoute({
    method: 'GET',
    path: '/auth/methods',
    operationId: 'getSignInMethods',
    tag: 'people',
    summary: 'How people may sign in here',
    access: 'public',
    reply: SignInMethods,
    status: 200,
    handle: async () => signIn.methods(),
  });
