import Type from 'typebox';
import { defineRoute } from '../../../../kernel/route.ts';
import type { SignIn } from '../sign-in.ts';

export const signOut = (signIn: SignIn) =>
  defineRoute({
    method: 'POST',
    path: '/auth/sign-out',
    operationId: 'signOut',
    tag: 'people',
    summary: 'End this session',
    access: 'public',
    fromPages: true,
    reply: Type.Literal(true),
    status: 200,
    errors: ['origin_denied'],
    handle: (call) => signIn.signOut(call),
  });
