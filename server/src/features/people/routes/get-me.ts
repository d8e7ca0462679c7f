import { defineRoute } from '../../../kernel/route.ts';
import { Me } from '../login/schema.ts';
import type { MyProfile } from '../my-profile.ts';
import { personOf } from '../person.ts';

export const getMe = (profile: MyProfile) =>
  defineRoute({
    method: 'GET',
    path: '/me',
    operationId: 'getMe',
    tag: 'people',
    summary: 'Who is signed in, and the accounts that they belong to',
    access: 'person',
    reply: Me,
    status: 200,
    handle: ({ actor }) => profile.get(personOf(actor)),
  });
