import type { Route } from '../../kernel/route.ts';
import { createAccount } from './routes/create-account.ts';
import { getAccount } from './routes/get-account.ts';
import { listAccounts } from './routes/list-accounts.ts';
import { updateAccount } from './routes/update-account.ts';
import type { AccountService } from './service.ts';

export { AccountService, accountRecord } from './service.ts';

export const accountRoutes = (service: AccountService): Route[] => [
  createAccount(service),
  listAccounts(service),
  getAccount(service),
  updateAccount(service),
];
