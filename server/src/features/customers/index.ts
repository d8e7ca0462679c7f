export { customerRoutes } from './routes.ts';
export { Customer } from './schema.ts';
export { CustomerService, demandFilterable } from './service.ts';
