export { CustomerImporter } from './import/importer.ts';
export { customerRoutes } from './routes.ts';
export { Customer } from './schema.ts';
export { CustomerService, requireFilterable } from './service.ts';
