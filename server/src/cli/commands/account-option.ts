import { UsageError } from '../failure.ts';

export const ACCOUNT_OPTION = {
  value: 'ID',
  help: 'The account (acc_…); required for the operator. Default: that of the access key',
} as const;

/** The operator belongs to no account, so there is no default. */
export function namedAccount(account: string | undefined, asOperator: boolean): string | undefined {
  if (account === undefined && asOperator)
    throw new UsageError('--account is missing; `npx keyward accounts list` shows them');
  return account;
}
