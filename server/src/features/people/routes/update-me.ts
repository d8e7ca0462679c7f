import { defineRoute } from '../../../kernel/route.ts';
import { Me, UpdateMe } from '../login/schema.ts';
import type { MyProfile } from '../my-profile.ts';
import { personOf } from '../person.ts';

export const updateMe = (profile: MyProfile) =>
  defineRoute({
    method: 'PATCH',
    path: '/me',
    operationId: 'updateMe',
    tag: 'people',
    summary: 'Change your name',
    access: 'person',
    body: UpdateMe,
    reply: Me,
    status: 200,
    handle: ({ actor, body }) => profile.rename(actor, personOf(actor), body.name),
  });
