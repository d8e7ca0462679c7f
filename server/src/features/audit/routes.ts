import { defineRoute, type Route } from '../../kernel/route.ts';
import { AuditLog, ListAuditLogs } from './schema.ts';
import type { AuditService } from './service.ts';

export const auditRoutes = (service: AuditService): Route[] => [listAuditLogs(service)];

const listAuditLogs = (service: AuditService) =>
  defineRoute({
    method: 'GET',
    path: '/audit-logs',
    operationId: 'listAuditLogs',
    tag: 'audit',
    summary: 'List the audit log, newest first',
    description:
      'One row for each resource that a call changed, written in the same transaction; an import of keys has one row per request and project, and some changes of a login are recorded directly afterwards. Rows are never changed or deleted. A project-level access key sees the rows of its project.',
    example: { query: { action: 'api-key.', limit: 10 } },
    access: 'audit:read',
    query: ListAuditLogs,
    reply: AuditLog,
    status: 200,
    list: true,
    handle: ({ actor, query }) => service.list(actor.principal, query),
  });
