export { accountRoutes } from './routes.ts';
export { AccountService, accountRecord } from './service.ts';
