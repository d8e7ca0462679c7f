export { auditRoutes } from './routes.ts';
export type { Head } from './seal-store.ts';
export { Sealer } from './sealer.ts';
export { AuditService } from './service.ts';
export { type Broken, type ChainReport, verifyChain } from './verification/verify.ts';
