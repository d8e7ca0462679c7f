import type { Route } from '../../kernel/route.ts';
import { listAuditLogs } from './routes/list-audit-logs.ts';
import type { AuditService } from './service.ts';

export type { Head } from './seal-store.ts';
export { Sealer } from './sealer.ts';
export { AuditService } from './service.ts';
export { type Broken, type Verdict, verifyChain } from './verify.ts';

export const auditRoutes = (service: AuditService): Route[] => [listAuditLogs(service)];
