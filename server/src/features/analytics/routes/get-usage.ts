import { defineRoute } from '../../../kernel/route.ts';
import { columnsOf, UsageQuery, UsageRow } from '../schema.ts';
import type { AnalyticsService } from '../service.ts';

export const getUsage = (service: AnalyticsService) =>
  defineRoute({
    method: 'GET',
    path: '/analytics/usage',
    operationId: 'getUsage',
    tag: 'analytics',
    summary: 'Validations over time, by key, customer, outcome or access key',
    description:
      'Rows by group, then by date. Buckets in which nothing happened are left out, but not for a single `key` and not by outcome. Minutes and hours are those of UTC; days, weeks and months those of `timezone`.',
    access: 'analytics:read',
    query: UsageQuery,
    reply: UsageRow,
    status: 200,
    list: true,
    csv: columnsOf(UsageRow),
    errors: ['key_not_found', 'project_not_found', 'project_required'],
    handle: ({ actor, query }) => service.usage(actor.principal, query),
  });
