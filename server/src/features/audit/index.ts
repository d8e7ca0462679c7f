export { auditRoutes } from './routes.ts';
export { AuditLog } from './schema.ts';
export type { Head } from './seal-store.ts';
export { Sealer } from './sealer.ts';
export { AuditService, auditLog } from './service.ts';
export type { LogRow } from './store.ts';
export { type Broken, type ChainReport, verifyChain } from './verification/verify.ts';
