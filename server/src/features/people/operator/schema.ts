import Type, { type Static } from 'typebox';
import { strict, Time } from '../../../kernel/schemas.ts';

export const OneTimeLink = Type.Object(
  { link: Type.String({ description: 'Shown only once. Works only once.' }), expiresAt: Time },
  { title: 'OneTimeLink' },
);
export type OneTimeLink = Static<typeof OneTimeLink>;

export const PersonParams = strict({
  id: Type.String({
    title: 'UserIdOrEmail',
    maxLength: 254,
    description: 'Id or email address of the user.',
  }),
});
