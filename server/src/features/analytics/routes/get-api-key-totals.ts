import { defineRoute } from '../../../kernel/route.ts';
import { ApiKeyTotals, columnsOf, TotalsQuery } from '../schema.ts';
import type { AnalyticsService } from '../service.ts';

export const getApiKeyTotals = (service: AnalyticsService) =>
  defineRoute({
    method: 'GET',
    path: '/analytics/api-key-totals',
    operationId: 'getApiKeyTotals',
    tag: 'auth_api_v1',
    summary: 'How often each API key was validated',
    description:
      'One row a key, or a key and bucket. Without a `dateGrouping` every key is listed; with one, only buckets in which a key was validated, or all of them when a single `key` is asked for. Ends are widened to whole buckets; without a grouping to whole hours, and to whole days where hours are no longer kept.',
    access: 'analytics:read',
    query: TotalsQuery,
    reply: ApiKeyTotals,
    status: 200,
    list: true,
    csv: columnsOf(ApiKeyTotals),
    errors: ['key_not_found', 'project_not_found', 'project_required'],
    handle: ({ actor, query }) => service.keyTotals(actor.principal, query),
  });
