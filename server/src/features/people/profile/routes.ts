import { defineRoute, type Route } from '../../../kernel/route.ts';
import { Me, UpdateMe } from '../login/schema.ts';
import { personOf } from '../person.ts';
import type { ProfileService } from './service.ts';

export const profileRoutes = (profile: ProfileService): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/me',
    operationId: 'getMe',
    tag: 'people',
    summary: 'Retrieve the signed-in user and their accounts',
    description:
      'Your name, email address and ways to sign in, and your role in each account that you belong to.',
    access: 'person',
    reply: Me,
    status: 200,
    handle: ({ actor }) => profile.get(personOf(actor)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/me',
    operationId: 'updateMe',
    tag: 'people',
    summary: 'Change your name',
    description:
      'The name that others see in the list of teammates, and that the audit log records. Only your name can be changed here.',
    example: { body: { name: 'Ada Lovelace' } },
    access: 'person',
    body: UpdateMe,
    reply: Me,
    status: 200,
    handle: ({ actor, body }) => profile.rename(actor, personOf(actor), body.name),
  }),
];
