import Type, { type Static } from 'typebox';
import { Id, strict, Time } from '../../../kernel/schemas.ts';

export const OneTimeLink = Type.Object(
  { link: Type.String({ description: 'Shown only once. Works only once.' }), expiresAt: Time },
  { title: 'OneTimeLink' },
);
export type OneTimeLink = Static<typeof OneTimeLink>;

export const AccountParams = strict({ id: Id('acc', 'the account') });
export const PersonParams = strict({
  id: Type.String({ maxLength: 254, description: 'Id or email address of the user.' }),
});
