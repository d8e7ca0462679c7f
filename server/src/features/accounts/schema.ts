import Type, { type Static } from 'typebox';
import { Id, Name, strict } from '../../kernel/schemas.ts';
import { provenanceFields } from '../projects/index.ts';

export const Account = Type.Object(
  { id: Id('acc', 'the account'), name: Name, ...provenanceFields },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

export const AccountName = strict({ name: Name }, 'AccountName');
