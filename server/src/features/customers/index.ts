export { customerRoutes } from './routes.ts';
export { Customer } from './schema.ts';
export { CustomerService } from './service.ts';
